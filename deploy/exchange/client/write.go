package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/resource"
)

// keyHeader is the header with which a POST can be repeated safely.
const keyHeader = "Idempotency-Key"

func (p *program) create() *cobra.Command {
	command := command("create", p.arguments(0, creatable), p.completeResource(creatable, nil))
	w := p.registerWriting(command, true)
	command.RunE = func(command *cobra.Command, args []string) error {
		return w.post(command.Context(), target{resource: w.resource(args[0])}, true)
	}
	return command
}

func (p *program) action() *cobra.Command {
	command := command("action", p.arguments(2, actionable), p.completeResource(actionable, p.completeAction))
	w := p.registerWriting(command, true)
	command.RunE = func(command *cobra.Command, args []string) error {
		on := target{resource: p.resource(args[0]), id: args[1]}
		var err error
		if on.prefix, on.suffix, err = actionPath(on.resource, args[2]); err != nil {
			return err
		}
		return w.post(command.Context(), on, false)
	}
	return command
}

// actionPath returns what comes before and after the path of a record in that of an action.
func actionPath(r resource.Resource, name string) (prefix, suffix string, err error) {
	action, offered := r.Action(name)
	switch {
	case !offered:
		err = usage("there is no action %q on %s; there are %s", name, r.Name, strings.Join(r.ActionNames(), ", "))
		return "", "", err
	case action.Nested:
		return "", "/" + name, nil
	case action.Beyond:
		return "/x", ":" + name, nil
	default:
		return "", ":" + name, nil
	}
}

func (p *program) put() *cobra.Command {
	command := command("put", p.arguments(1, replaceable), p.completeResource(replaceable, nil))
	w := p.registerWriting(command, false)
	ifMatch := command.Flags().String("if-match", "", "entity tag: replace the record only if it is still this version")
	command.RunE = func(command *cobra.Command, args []string) error {
		// A repetition would not find the version that the first attempt replaced.
		r := Request{Method: http.MethodPut, Repeatable: *ifMatch == ""}
		if *ifMatch != "" {
			r.Header = map[string]string{"If-Match": *ifMatch}
		}
		return w.send(command.Context(), target{resource: p.resource(args[0]), id: args[1]}, r, true)
	}
	return command
}

// writing holds the flags that the commands that write have in common: those of the body and of the output.
type writing struct {
	*program
	connect   *connection
	form      *string
	body, key string
}

func (p *program) registerWriting(command *cobra.Command, keyed bool) *writing {
	w := &writing{program: p, connect: p.registerConnection(command), form: p.registerForm(command, asPretty)}
	flags := command.Flags()
	flags.StringVarP(&w.body, "body", "d", "",
		"the body, as JSON text; @FILE is that of a file, @- of the standard input")
	if keyed {
		flags.StringVar(&w.key, "idempotency-key", "",
			"with the same key the same request is carried out once; a new one for each command where not given")
	}
	return w
}

// target is what a command writes to: a resource, one of its records, or an action of either, which the suffix names.
type target struct {
	resource resource.Resource
	// prefix and suffix are what comes before and after the path of the record.
	id, prefix, suffix string
}

func (w *writing) post(ctx context.Context, on target, bodied bool) error {
	if w.key == "" {
		w.key = rand.Text()
	}
	return w.send(ctx, on, Request{Method: http.MethodPost, Key: w.key}, bodied)
}

// send sends the request with the body and prints the record in the response. bodied says that the body must not be
// missing.
func (w *writing) send(ctx context.Context, on target, r Request, bodied bool) (err error) {
	if r.Body, err = w.read(); err != nil {
		return err
	}
	if bodied && r.Body == nil {
		return usage("a body is wanted; give --body, as JSON text or as @FILE (exchange describe %s names the members)",
			on.resource.Name)
	}
	c, err := w.call(w.connect)
	if err != nil {
		return err
	}
	r.Path = "/" + on.resource.Name
	if on.id != "" {
		if r.Path, err = c.recordPath(ctx, on.resource, on.id); err != nil {
			return err
		}
		r.Path = on.prefix + r.Path + on.suffix
	}
	got, err := c.send(ctx, r)
	if err != nil {
		return w.resumable(err)
	}
	if got.replayed() {
		fmt.Fprintln(w.Err, "Nothing new: this was done before with the same key.")
	}
	return w.printOne(*w.form, on.resource.Name, got)
}

// resumable adds to an error how to repeat a POST, if it is not known whether the exchange carried it out.
func (w *writing) resumable(err error) error {
	r, responded := errors.AsType[*refusal](err)
	uncertain := isA[*unreachable](err) || responded && r.status >= http.StatusInternalServerError ||
		errors.Is(err, context.Canceled)
	if w.key == "" || !uncertain {
		return err
	}
	return &hinted{
		err, fmt.Sprintf("It may have been carried out or not. With --idempotency-key %s the same command does "+
			"nothing twice.", w.key),
	}
}

// read returns the body, or nil if none was given.
func (w *writing) read() ([]byte, error) {
	file, is := strings.CutPrefix(w.body, "@")
	switch {
	case w.body == "":
		return nil, nil
	case !is:
		return []byte(w.body), nil
	case file == "-":
		return io.ReadAll(w.In)
	case file == "":
		return nil, usage("--body @ lacks the name of a file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("the body: %v", err)
	}
	return text, nil
}
