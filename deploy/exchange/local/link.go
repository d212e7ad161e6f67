package local

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"insurance.example/exchange/gateway/console"
	"insurance.example/exchange/pkg/setting"
)

// LinkLifetime is how long a link can be followed to the records of an exchange.
const LinkLifetime = time.Minute

// codes are the codes of links, as NewLink writes them. No other text is taken for the name of a file.
var codes = regexp.MustCompile(`^[A-Z2-7]{26,64}$`)

// NewLink makes a link that signs a person in to the console of the exchange at a URL, once, from the machine of the
// exchange, until an instant. It stands in the data folder of the exchange, which its owner alone can read and write,
// so that the exchange and the command link make links in the same way.
func NewLink(data, url, subject string, now time.Time, lifetime time.Duration) (string, error) {
	folder := linkFolder(data)
	if err := errors.Join(os.MkdirAll(folder, 0o700), removeEnded(folder, now)); err != nil {
		return "", fmt.Errorf("links that sign people in: %w", err)
	}
	code := rand.Text()
	text := now.Add(lifetime).UTC().Format(time.RFC3339Nano) + "\n" + subject
	if err := os.WriteFile(filepath.Join(folder, code), []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("links that sign people in: %w", err)
	}
	return strings.TrimSuffix(url, "/") + console.Path + "#sign-in=" + code, nil
}

// FollowLink returns the person of the link that has a code, and reports whether it can still be followed. Of those
// who follow it at once, one does.
func FollowLink(data, code string, now time.Time) (subject string, is bool) {
	if !codes.MatchString(code) {
		return "", false
	}
	file := filepath.Join(linkFolder(data), code)
	until, subject, err := readLink(file)
	if err != nil || now.After(until) || os.Remove(file) != nil {
		return "", false
	}
	return subject, true
}

// LinkCommand returns the command that prints a link to the console of the exchange that keeps its data in a folder,
// and is at a URL unless something else is said.
func LinkCommand(environ []string, out io.Writer, usualURL string) *cobra.Command {
	var data, url, subject string
	command := command(environ, "link", &data, func() error {
		if !hasKeys(data) {
			return noExchange(data)
		}
		link, err := NewLink(data, url, subject, time.Now(), LinkLifetime)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, link)
		return err
	})
	flags := command.Flags()
	flags.StringVar(&url, "url", cmp.Or(setting.Lookup(environ, "EXCHANGE_URL"), usualURL),
		"URL of the exchange (EXCHANGE_URL)")
	flags.StringVar(&subject, "subject", Subject, "name of the person")
	return command
}

func linkFolder(data string) string { return filepath.Join(data, "links") }

// readLink returns until when the link in a file can be followed, and whose it is.
func readLink(file string) (until time.Time, subject string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, "", err
	}
	instant, subject, _ := strings.Cut(string(text), "\n")
	until, err = time.Parse(time.RFC3339Nano, instant)
	return until, subject, err
}

// removeEnded removes the links of a folder that nobody can follow any more.
func removeEnded(folder string, now time.Time) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		file := filepath.Join(folder, entry.Name())
		until, _, unreadable := readLink(file)
		if unreadable != nil || !now.After(until) {
			continue // one that cannot be read may be on its way
		}
		if gone := os.Remove(file); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
