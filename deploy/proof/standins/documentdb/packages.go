package documentdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	mirror, err := debianMirror("/etc")
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

// debianMirror returns the address from which this machine gets its own release of Debian. etc is the folder /etc.
func debianMirror(etc string) (string, error) {
	const remedy = "; the packages of PostgreSQL are fetched with apt on Debian only"
	about, err := os.ReadFile(filepath.Join(etc, "os-release"))
	if err != nil {
		return "", fmt.Errorf("this is no Debian: %w%s", err, remedy)
	}
	named := func(key string) string {
		for line := range strings.Lines(string(about)) {
			if value, ok := strings.CutPrefix(line, key+"="); ok {
				return strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
		return ""
	}
	if named("ID") != "debian" {
		return "", fmt.Errorf("this is %s, not Debian%s", named("PRETTY_NAME"), remedy)
	}
	var sources []string
	for _, pattern := range []string{"apt/sources.list.d/*.sources", "apt/sources.list", "apt/sources.list.d/*.list"} {
		files, err := filepath.Glob(filepath.Join(etc, pattern))
		if err != nil {
			return "", err
		}
		sources = append(sources, files...)
	}
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if mirror, ok := mirrorOf(string(text), named("VERSION_CODENAME")); ok {
			return mirror, nil
		}
	}
	return "", fmt.Errorf("%s names no mirror of Debian's release %s", filepath.Join(etc, "apt/sources.list"),
		named("VERSION_CODENAME"))
}

// mirrorOf returns the first address that a file of apt's sources gives for a release, in either of apt's two formats.
func mirrorOf(text, codename string) (string, bool) {
	for stanza := range strings.SplitSeq(text, "\n\n") {
		var uri string
		var suites []string
		for line := range strings.Lines(stanza) {
			fields := strings.Fields(line)
			switch {
			case len(fields) < 2:
			case fields[0] == "URIs:":
				uri = fields[1]
			case fields[0] == "Suites:":
				suites = fields[1:]
			case fields[0] == "deb":
				// deb [option=value ...] address suite component ...
				at := slices.IndexFunc(fields, func(f string) bool { return strings.Contains(f, "://") })
				if at > 0 && at+1 < len(fields) && fields[at+1] == codename {
					return fields[at], true
				}
			}
		}
		if uri != "" && slices.Contains(suites, codename) {
			return uri, true
		}
	}
	return "", false
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
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
