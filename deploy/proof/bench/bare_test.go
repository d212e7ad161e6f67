package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// bareCommand is the argument that makes the test binary the bare handler.
const bareCommand = "bare"

// canned is what the bare handler returns: a response that the exchange gave before.
type canned struct {
	Method, Route string
	Status        int
	Header        http.Header
	Body          []byte
}

var listening = regexp.MustCompile(`http://(\S+)`)

// startBare starts the bare handler in a process of its own, with a response of the exchange to each row.
func startBare(tb testing.TB, exchange *side, all []*row) *side {
	tb.Helper()
	var responses []canned
	for _, r := range all {
		to := r.call(exchange.book, exchange.calls.Add(1))
		response, body, err := exchange.send(to.Method, to.URL, to.Body)
		if err != nil || response.StatusCode != r.status {
			tb.Fatalf("%s: %v, %v: %s", r.name, err, response, body)
		}
		for _, set := range []string{"Date", "Content-Length"} { // by the server
			response.Header.Del(set)
		}
		responses = append(responses, canned{to.Method, r.route, r.status, response.Header, body})
	}
	process, address := startItself(tb, bareCommand, responses, listening)
	return &side{base: "http://" + address, token: exchange.token, pid: process.PID(), client: connected(callers),
		book: exchange.book}
}

// startItself starts the test binary with a command, which finds data in a file, until the test ends. It returns the
// process once it has printed what a pattern finds, and that.
func startItself(tb testing.TB, command string, data any, ready *regexp.Regexp) (*trial.Process, string) {
	tb.Helper()
	text, err := json.Marshal(data)
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), command+".json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		tb.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	process, err := trial.Start(self, nil, command, file)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = process.Kill() })
	printed, err := process.Find(process.Stdout, ready)
	if err != nil {
		tb.Fatal(err)
	}
	return process, printed
}

// serveBare is the bare handler, which returns the responses of a file until the process ends.
func serveBare(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var responses []canned
	if err := json.Unmarshal(text, &responses); err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	for _, r := range responses {
		engine.Handle(r.Method, r.Route, func(c *gin.Context) {
			// A handler that ignores its body makes net/http close the connection.
			if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
				c.AbortWithStatus(http.StatusBadRequest)
				return
			}
			for name, values := range r.Header {
				c.Writer.Header()[name] = values
			}
			c.Data(r.Status, r.Header.Get("Content-Type"), r.Body)
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	return http.Serve(listener, engine)
}
