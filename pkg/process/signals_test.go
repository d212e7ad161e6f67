package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"insurance.example/exchange/pkg/process"
)

// holdVariable makes the test binary a program that never ends a request.
const holdVariable = "TEST_HOLD_REQUESTS"

func TestMain(m *testing.M) {
	if os.Getenv(holdVariable) != "" {
		holding().Main()
	}
	os.Exit(m.Run())
}

func holding() process.Program {
	return process.Program{
		Name: "holding", Defaults: map[string]string{
			"addr": "127.0.0.1:0", "admin-addr": "", "drain-timeout": "1h", "drain-delay": "0s", "log-format": "json",
		},
		Run: func(ctx context.Context, p *process.Process) error {
			if err := p.Listen(); err != nil {
				return err
			}
			return p.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintln(os.Stderr, "request held")
				<-make(chan struct{})
			}))
		},
	}
}

// TestSecondSignalEndsAtOnce holds a request open for an hour. The first signal waits for it, the second one does
// not, also in a process that was started with SIGINT ignored, as a shell starts one in the background.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	for name, command := range map[string]*exec.Cmd{
		"in the foreground": exec.Command(os.Args[0]),
		"in the background": exec.Command("/bin/sh", "-c", `trap "" INT; exec "$0"`, os.Args[0]),
	} {
		t.Run(name, func(t *testing.T) {
			command.Env = append(os.Environ(), holdVariable+"=1")
			stderr, err := command.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = command.Process.Kill() })
			lines := bufio.NewScanner(stderr)
			_, address, _ := strings.Cut(await(t, lines, `"msg":"listening"`), `"address":"`)
			address, _, _ = strings.Cut(address, `"`)
			go func() {
				if response, err := http.Get("http://" + address); err == nil {
					response.Body.Close()
				}
			}()
			await(t, lines, "request held")
			interrupt(t, command)
			await(t, lines, "a second signal ends the process at once")
			interrupt(t, command)
			_, _ = io.Copy(io.Discard, stderr)
			var exit *exec.ExitError
			if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("the program ended with %v, want exit status 130", err)
			}
		})
	}
}

func interrupt(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// await reads lines until one contains a text.
func await(t *testing.T, lines *bufio.Scanner, text string) string {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return lines.Text()
		}
	}
	t.Fatalf("the program ended before it wrote %q", text)
	return ""
}
