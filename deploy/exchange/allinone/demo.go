package allinone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/pkg/process"
)

const (
	demoFlag   = "demo"
	demoFolder = "demo"
	// secondPerson is who approves what the first person has prepared.
	secondPerson = "mary"
	// demoLifetime is how long the links of a demonstration can be followed, whose records are all invented.
	demoLifetime = time.Hour
)

// demoSettings gives an exchange that shows what it can do the settings that nobody has given.
func demoSettings(flags *pflag.FlagSet) error {
	for name, value := range map[string]string{
		settings.Data: demoFolder, testClockFlag: "2026-01-05T09:00:00Z",
		settings.Currency: "EUR", settings.AmountUnit: "major",
	} {
		if flags.Changed(name) {
			continue
		}
		if err := flags.Set(name, value); err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
	}
	return nil
}

// openDemo has the exchange make its year once it serves, and then say how two people sign in.
func (r *runner) openDemo(p *process.Process) error {
	if !r.hasConsole {
		return fmt.Errorf("setting %s: only an exchange that issues its own tokens and has the console shows what it "+
			"can do; leave out the keys of an identity provider", demoFlag)
	}
	p.Background("demonstration", func(ctx context.Context) error {
		story, err := r.year(ctx, p)
		if err != nil {
			return fmt.Errorf("making the year of the demonstration: %w", err)
		}
		var signIn [2]string
		for i, who := range []string{local.Subject, secondPerson} {
			if signIn[i], err = local.NewLink(r.data, p.URL(), who, time.Now(), demoLifetime); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(r.banner, `%s
Sign in (each link once, within an hour):
  as %-6s who has prepared what is reported:  %s
  as %-6s the second person, who approves it: %s

`, story, local.Subject+",", signIn[0], secondPerson+",", signIn[1])
		if err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	return nil
}

// year makes the year unless an earlier run has, and returns what is notable about it. It is kept in the data folder:
// once people have worked with the records, the same requests would not make the same year.
func (r *runner) year(ctx context.Context, p *process.Process) (story string, err error) {
	file := filepath.Join(r.data, "demo.txt")
	token, err := os.ReadFile(file)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(token), err
	}
	if _, err := fmt.Fprintln(r.banner, "A year of contracts is being made, which takes half a minute."); err != nil {
		return "", err
	}
	args := []string{"--year", "--data", r.data}
	if p.URL() != client.DefaultURL {
		args = append(args, "--url", p.URL())
	}
	if r.organisation != "" {
		args = append(args, "--org", r.organisation)
	}
	var said bytes.Buffer
	err = fill(ctx, client.Surroundings{
		Out: &said, Err: io.Discard,
		IssueToken: func(data, organisation string) (string, error) {
			return local.IssueToken(data, p.Settings.OrganisationClaim, organisation)
		},
	}, args...)
	if err != nil {
		return "", err
	}
	return said.String(), os.WriteFile(file, said.Bytes(), 0o600)
}
