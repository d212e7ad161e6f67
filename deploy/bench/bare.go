package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
)

// bareCommand is the argument that makes this command the bare handler.
const bareCommand = "bare"

// answer is the response of the bare handler to a method and a Gin route. It is a response that the exchange has given.
type answer struct {
	Method, Route string
	Status        int
	Header        map[string]string
	Body          []byte
}

// startBare starts the bare handler in a separate process.
func startBare(ctx context.Context, answers []answer) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	return start(ctx, text, self, bareCommand)
}

// serveBare is the bare handler. It reads the responses that it shall give from in, writes its address to out, and serves
// until the process is ended.
func serveBare(in io.Reader, out io.Writer) error {
	var answers []answer
	if err := json.NewDecoder(in).Decode(&answers); err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	for _, a := range answers {
		engine.Handle(a.Method, a.Route, a.serve)
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

func (a *answer) serve(c *gin.Context) {
	// A handler that ignores its body makes net/http close the connection.
	if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	header := c.Writer.Header()
	for name, value := range a.Header {
		header.Set(name, value)
	}
	c.Data(a.Status, a.Header["Content-Type"], a.Body)
}
