package documentdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"insurance.example/exchange/deploy/proof/standins/process"
)

const (
	// user is the number of the user and of the group that PostgreSQL runs as.
	user = 19432
	// binaries is the folder of PostgreSQL's programs in the root.
	binaries = "/usr/lib/postgresql/18/bin"
	// patience bounds how long PostgreSQL may take to start or to stop.
	patience = time.Minute
)

// settings are the settings of every server. What a test stores need not survive a power failure.
var settings = []string{
	"listen_addresses=127.0.0.1", "unix_socket_directories=", "dynamic_shared_memory_type=mmap",
	"shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb", "cron.database_name=postgres",
	"shared_buffers=256MB", "max_connections=300", "fsync=off", "jit=off",
	// Simultaneous inserts of one unique value deadlock now and then. One of them is then refused, after this time.
	"deadlock_timeout=5ms",
}

// path returns the path of a file of the root.
func (r root) path(elements ...string) string {
	return filepath.Join(string(r), filepath.Join(elements...))
}

// postgres is a running PostgreSQL.
type postgres struct {
	url string
	// ended is closed when the process has ended.
	ended   chan struct{}
	process *os.Process
	lock    *os.File
	// data is the folder of its data if that is to be removed, else empty.
	data string
}

// makeTemplate creates the database that every server begins with.
func (r root) makeTemplate(ctx context.Context) error {
	data := r.path("data/template")
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	if err := os.Chown(data, user, user); err != nil {
		return err
	}
	initdb := exec.CommandContext(ctx, binaries+"/initdb", "-D", "/data/template", "-A", "trust", "-U", "postgres",
		"--no-sync", "--locale=C.UTF-8")
	initdb.Env, initdb.Dir, initdb.SysProcAttr = environment, "/", r.confined()
	if err := run(initdb); err != nil {
		return err
	}
	lock, err := process.TryLock(data + ".lock")
	if err != nil {
		return err
	}
	p, err := r.startOn(ctx, "template", lock)
	if err != nil {
		return err
	}
	return errors.Join(p.execute(ctx, "CREATE EXTENSION documentdb CASCADE"), p.stop(), os.Remove(data+".lock"))
}

// environment is the environment of PostgreSQL's programs.
var environment = []string{"PATH=" + binaries + ":/usr/bin", "LANG=C.UTF-8"}

var dataName = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)

// start starts PostgreSQL on data of its own, or on that which is kept under a name.
func (r root) start(ctx context.Context, keep string) (*postgres, error) {
	if err := r.sweep(); err != nil {
		return nil, err
	}
	name, lock, err := r.claim(ctx, keep)
	if err != nil {
		return nil, err
	}
	data := r.path("data", name)
	if !exists(data) {
		// The copy appears under its name when it is whole.
		err := errors.Join(os.RemoveAll(data+partial),
			run(exec.CommandContext(ctx, "cp", "-a", r.path("data/template"), data+partial)))
		if err == nil {
			err = os.Rename(data+partial, data)
		}
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
	p, err := r.startOn(ctx, name, lock)
	if err != nil {
		return nil, err
	}
	if keep == "" {
		p.data = data
	}
	return p, nil
}

// claim returns the name of a folder of data, new or kept, and the lock of it, which PostgreSQL inherits: it is held
// until the last process of PostgreSQL has ended.
func (r root) claim(ctx context.Context, keep string) (name string, lock *os.File, err error) {
	for keep == "" {
		file, err := os.CreateTemp(r.path("data"), passing+"*.lock")
		if err != nil {
			return "", nil, err
		}
		// A sweep may find the file before it is locked, and remove it.
		lock, err := process.TryLock(file.Name())
		if err = errors.Join(err, file.Close()); lock != nil || err != nil {
			return strings.TrimSuffix(filepath.Base(file.Name()), ".lock"), lock, err
		}
	}
	// The server that had the data may still be stopping.
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.claimKept(ctx, keep)
}

// claimKept returns the name of the folder of the data that is kept under a name, and the lock of it, as soon as no
// server has it.
func (r root) claimKept(ctx context.Context, keep string) (name string, lock *os.File, err error) {
	if !dataName.MatchString(keep) {
		return "", nil, fmt.Errorf("%q cannot name the data of a server; use letters, digits and hyphens", keep)
	}
	name = "kept-" + keep
	lock, err = process.Lock(ctx, r.path("data", name+".lock"), func() {})
	if err != nil {
		return "", nil, fmt.Errorf("another server has the data %q: %w", keep, err)
	}
	return name, lock, nil
}

// forget removes the data that is kept under a name, as soon as no server has it.
func (r root) forget(ctx context.Context, keep string) error {
	if !exists(r.path("data")) {
		return nil
	}
	name, lock, err := r.claimKept(ctx, keep)
	if err != nil {
		return err
	}
	return errors.Join(r.remove(name), lock.Close())
}

// remove removes a folder of data, what is left of an attempt to make it, and the file of its lock. The caller holds
// the lock.
func (r root) remove(name string) error {
	data := r.path("data", name)
	return errors.Join(os.RemoveAll(data), os.RemoveAll(data+partial), os.Remove(data+".lock"))
}

// passing is the prefix of the names of data that is removed with its server.
const passing = "of-"

// sweep removes the data of servers that ended without removing it.
func (r root) sweep() error {
	locks, err := filepath.Glob(r.path("data", passing+"*.lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		lock, err := process.TryLock(path)
		if err != nil || lock == nil {
			continue // it is in use, or another process is removing it
		}
		err = errors.Join(r.remove(strings.TrimSuffix(filepath.Base(path), ".lock")), lock.Close())
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// startOn starts PostgreSQL on a folder of data, and returns once it accepts connections. The caller holds the lock of
// the folder; startOn closes the lock if it fails.
func (r root) startOn(ctx context.Context, name string, lock *os.File) (*postgres, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// The lock is ours, so a file with a process id is left from a PostgreSQL that was killed.
	if err := os.Remove(r.path("data", name, "postmaster.pid")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, lock.Close())
	}
	for {
		p, err := r.attempt(ctx, name, lock)
		if err == nil {
			return p, nil
		}
		// Another process may have taken the port between its choice and its use.
		if !errors.Is(err, errPortTaken) || ctx.Err() != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
}

var errPortTaken = errors.New("the port was taken by another process")

func (r root) attempt(ctx context.Context, name string, lock *os.File) (*postgres, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(r.path("data", name, "postgres.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(binaries+"/postgres", "-D", path.Join("/data", name), "-p", fmt.Sprint(port))
	for _, s := range settings {
		command.Args = append(command.Args, "-c", s)
	}
	command.Env, command.Dir, command.SysProcAttr = environment, "/", r.confined()
	command.Stdout, command.Stderr, command.ExtraFiles = log, log, []*os.File{lock}
	p := &postgres{
		url: fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres", port), ended: make(chan struct{}), lock: lock,
	}
	if p.process, err = process.StartBound(command, p.ended); err != nil {
		return nil, err
	}
	if err := p.await(ctx); err != nil {
		said, _ := os.ReadFile(log.Name())
		if strings.Contains(string(said), "could not create any TCP/IP sockets") {
			err = errPortTaken
		}
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		p.end()
		return nil, fmt.Errorf("PostgreSQL does not start: %w: %s", err,
			strings.Join(lines[max(0, len(lines)-5):], "; "))
	}
	return p, nil
}

// await returns once PostgreSQL accepts connections.
func (p *postgres) await(ctx context.Context) error {
	for {
		err := p.execute(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return errors.New("it has ended")
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (p *postgres) execute(ctx context.Context, statement string) error {
	connection, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, statement)
	return errors.Join(err, connection.Close(ctx))
}

// stop ends PostgreSQL and removes its data if that is not kept.
func (p *postgres) stop() error {
	p.end()
	var err error
	if p.data != "" {
		err = errors.Join(os.RemoveAll(p.data), os.Remove(p.lock.Name()))
	}
	return errors.Join(err, p.lock.Close())
}

// end returns when the process has ended: in order if its data is kept, and at once if it is not or if order takes
// too long.
func (p *postgres) end() {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL}
	if p.data != "" {
		signals = signals[1:]
	}
	for _, s := range signals {
		_ = p.process.Signal(s) // it fails only if the process has ended
		select {
		case <-p.ended:
			return
		case <-time.After(patience):
		}
	}
	<-p.ended
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
