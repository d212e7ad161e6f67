package sides

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/deploy/proof/bench/process"
)

// BareCommand is the argument that makes this command the bare handler.
const BareCommand = "bare"

// Response is what the bare handler returns for a method and a Gin route: a response that the exchange gave before.
type Response struct {
	Method, Route string
	Status        int
	Header        map[string]string
	Body          []byte
}

// StartBare starts the bare handler in a separate process.
func StartBare(ctx context.Context, responses []Response) (*process.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(responses)
	if err != nil {
		return nil, err
	}
	return process.Start(ctx, text, self, BareCommand)
}

// ServeBare is the bare handler. It reads from in the responses that it is to return, writes its address to out, and
// serves until the process ends.
func ServeBare(in io.Reader, out io.Writer) error {
	var responses []Response
	if err := json.NewDecoder(in).Decode(&responses); err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	for _, r := range responses {
		engine.Handle(r.Method, r.Route, r.serve)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, engine)
}

func (r *Response) serve(c *gin.Context) {
	// A handler that ignores its body makes net/http close the connection.
	if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	header := c.Writer.Header()
	for name, value := range r.Header {
		header.Set(name, value)
	}
	c.Data(r.Status, r.Header["Content-Type"], r.Body)
}
