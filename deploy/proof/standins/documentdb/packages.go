package documentdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// release is the release of Debian that the packages are from. It is later than the release of this machine, and brings
// its own C library.
const release = "forky"

// wanted are the packages that are asked for: the extension, with PostgreSQL, and what PostgreSQL takes for granted.
var wanted = []string{"postgresql-18-documentdb", "libc-bin", "dash"}

// keyring holds the keys that Debian signs its releases with.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// fetch downloads the packages and those that they depend on into dir, and returns their files. apt checks their
// signatures. It uses folders of its own, and neither reads nor changes what is installed.
func fetch(ctx context.Context, dir string, say func(string, ...any)) ([]string, error) {
	mirror, err := debianMirror(ctx, "/etc")
	if err != nil {
		return nil, err
	}
	for _, folder := range []string{"lists/partial", "cache/archives/partial", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
	}
	list := filepath.Join(dir, "sources.list")
	status := filepath.Join(dir, "status") // empty: no package is installed
	source := fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, mirror, release)
	if err := errors.Join(os.WriteFile(list, []byte(source), 0o644), os.WriteFile(status, nil, 0o644)); err != nil {
		return nil, err
	}
	apt := func(args ...string) error {
		options := []string{
			"-oDir::Etc::sourcelist=" + list, "-oDir::Etc::sourceparts=/dev/null",
			"-oDir::State=" + filepath.Join(dir, "state"),
			"-oDir::State::Lists=" + filepath.Join(dir, "lists"), "-oDir::State::status=" + status,
			"-oDir::Cache=" + filepath.Join(dir, "cache"), "-oAPT::Sandbox::User=root", "-oAcquire::Languages=none",
			"-oAcquire::Retries=3", "-qq",
		}
		return run(exec.CommandContext(ctx, "apt-get", append(options, args...)...))
	}
	say("reading the index of Debian's release %s", release)
	if err := apt("update"); err != nil {
		return nil, err
	}
	say("downloading PostgreSQL with DocumentDB, about 140 MB")
	if err := apt(append([]string{"-y", "--download-only", "--no-install-recommends", "install"},
		wanted...)...); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "cache/archives/*.deb"))
}

// findMirror prints the addresses from which a machine gets the packages of its own release of Debian.
const findMirror = `. "$1/os-release"
if [ "$ID" != debian ]; then
	echo "this is $PRETTY_NAME, not Debian; the packages of PostgreSQL are fetched with apt on Debian only" >&2
	exit 1
fi
found=$(apt-get -oDir::Etc="$1/apt" update --print-uris | sed -n "s|^'\(.*\)/dists/$VERSION_CODENAME/InRelease'.*|\1|p")
if [ -z "$found" ]; then
	echo "$1/apt names no mirror of Debian's release $VERSION_CODENAME" >&2
	exit 1
fi
echo "$found"`

// debianMirror returns the address from which this machine gets its own release of Debian. etc is the folder /etc.
func debianMirror(ctx context.Context, etc string) (string, error) {
	folder, err := output(exec.CommandContext(ctx, "sh", "-ec", findMirror, "mirror", etc))
	if err != nil {
		return "", err
	}
	mirror, _, _ := strings.Cut(folder, "\n")
	return mirror, nil
}

// unpack unpacks the packages and adds what their scripts would have made.
func (r root) unpack(ctx context.Context, packages []string) error {
	for _, folder := range []string{"usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "proc", "etc", "dev", "data"} {
		if err := os.MkdirAll(r.path(folder), 0o755); err != nil {
			return err
		}
	}
	for _, folder := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+folder, r.path(folder)); err != nil {
			return err
		}
	}
	for _, file := range packages {
		if err := r.unpackOne(ctx, file); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"passwd":        fmt.Sprintf("root:x:0:0::/:/bin/sh\npostgres:x:%d:%d::/:/bin/sh\n", user, user),
		"group":         fmt.Sprintf("root:x:0:\npostgres:x:%d:\n", user),
		"hosts":         "127.0.0.1 localhost\n",
		"nsswitch.conf": "hosts: files\npasswd: files\ngroup: files\n",
	} {
		if err := os.WriteFile(r.path("etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	// The extension asks for PostGIS by its short name, which Debian's packages make with the system of alternatives.
	controls, err := filepath.Glob(r.path("usr/share/postgresql/18/extension/*-3.control"))
	if err != nil {
		return err
	}
	for _, control := range controls {
		if err := os.Symlink(filepath.Base(control), strings.TrimSuffix(control, "-3.control")+
			".control"); err != nil && !os.IsExist(err) {
			return err
		}
	}
	if err := os.MkdirAll(r.path("tmp"), 0o755); err != nil {
		return err
	}
	if err := os.Chmod(r.path("tmp"), 0o1777|os.ModeSticky); err != nil {
		return err
	}
	if err := errors.Join(makeDevice(r.path("dev/null"), 1, 3), makeDevice(r.path("dev/urandom"), 1, 9)); err != nil {
		return err
	}
	return run(exec.CommandContext(ctx, "ldconfig", "-r", string(r)))
}

// unpackOne unpacks the files of one package. A folder of the package may be one of the links at the top of the root.
func (r root) unpackOne(ctx context.Context, file string) error {
	unpack := exec.CommandContext(ctx, "tar", "-x", "-C", string(r), "--keep-directory-symlink")
	read := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", file)
	pipe, err := read.StdoutPipe()
	if err != nil {
		return err
	}
	unpack.Stdin = pipe
	if err := read.Start(); err != nil {
		return err
	}
	return errors.Join(run(unpack), read.Wait())
}

// run runs a command. An error holds what the command said.
func run(command *exec.Cmd) error {
	_, err := output(command)
	return err
}

// output runs a command and returns what it said, which an error holds as well.
func output(command *exec.Cmd) (string, error) {
	said, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, bytes.TrimSpace(said))
	}
	return string(said), err
}
