package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/routes"
)

// keyHeader makes a POST safe to repeat.
const keyHeader = "Idempotency-Key"

func (p *program) create() *cobra.Command {
	command := &cobra.Command{
		Use: "create RESOURCE", Short: "Create a record",
		Example: `  exchange create vehicle --data '{"plateNumber":"EX 2026","vin":"WVWZZZ1JZXW000001"}'
  exchange create motorCoverage --file policy.json
  jq '.claim' notification.json | exchange create claim --file - --idempotency-key notification-4711`,
		Args: p.arguments(0, creatable), ValidArgsFunction: p.completeResource(creatable, nil),
	}
	w := p.registerWriting(command, true)
	command.RunE = func(command *cobra.Command, args []string) error {
		return w.post(command.Context(), "/"+args[0], true)
	}
	return command
}

func (p *program) action() *cobra.Command {
	command := &cobra.Command{
		Use: "action RESOURCE ID ACTION", Short: "Act on a record: endorse, cancel, renew, settle, reopen, refund, documents",
		Example: `  exchange action motorCoverage $ID cancel --data '{"reason":"sold"}'
  exchange action motorCoverage $ID endorse --data '{"endorsementType":"policy extension","expiryDate":"2027-06-30T00:00:00Z"}'
  exchange action claim $ID settle --data '{"paymentAmount":1200,"paymentMethod":"bank transfer"}'
  exchange action claim $ID documents --data '{"url":"https://files.example/photo.jpg","type":"photo"}'`,
		Args: p.arguments(2, actionable), ValidArgsFunction: p.completeResource(actionable, p.completeAction),
	}
	w := p.registerWriting(command, true)
	command.RunE = func(command *cobra.Command, args []string) error {
		route, _ := p.route(args[0])
		path, err := actionPath(route, args[1], args[2])
		if err != nil {
			return err
		}
		return w.post(command.Context(), path, false)
	}
	return command
}

func actionPath(route routes.Route, id, action string) (string, error) {
	switch {
	case slices.Contains(route.Actions, action):
		return recordPath(route.Resource, id) + ":" + action, nil
	case slices.Contains(route.Subs, action):
		return recordPath(route.Resource, id) + "/" + action, nil
	}
	return "", usage("there is no action %q on %s; there are %s", action, route.Resource, strings.Join(actions(route), ", "))
}

func (p *program) put() *cobra.Command {
	command := &cobra.Command{
		Use: "put RESOURCE ID", Short: "Replace a record",
		Example: `  exchange put vehicle $ID --file vehicle.json
  exchange put claim $ID --data '{"liabilityShare":50,"reserve":2500}'
  exchange put product $ID --file product.json --if-match "$(exchange get product $ID --etag)"`,
		Args: p.arguments(1, replaceable), ValidArgsFunction: p.completeResource(replaceable, nil),
	}
	w := p.registerWriting(command, false)
	ifMatch := command.Flags().String("if-match", "", "entity tag: replace the record only if it is still this version")
	command.RunE = func(command *cobra.Command, args []string) error {
		r := request{method: http.MethodPut, path: recordPath(args[0], args[1])}
		if *ifMatch != "" {
			// A repetition would not find the version that the first attempt replaced.
			r.header, r.once = map[string]string{"If-Match": *ifMatch}, true
		}
		return w.send(command.Context(), r, true)
	}
	return command
}

// writing is what the commands that write have in common: where they take the body from, and how they say what came of
// it.
type writing struct {
	*program
	connect         *connection
	form            *string
	file, data, key string
}

func (p *program) registerWriting(command *cobra.Command, keyed bool) *writing {
	w := &writing{program: p, connect: p.registerConnection(command), form: p.registerForm(command)}
	flags := command.Flags()
	flags.StringVarP(&w.file, "file", "f", "", "file with the body; - is the standard input")
	flags.StringVarP(&w.data, "data", "d", "", "the body, as JSON text")
	command.MarkFlagsMutuallyExclusive("file", "data")
	if keyed {
		flags.StringVar(&w.key, "idempotency-key", "", "with the same key the same request is carried out once; a new one for each command where not given")
	}
	return w
}

func (w *writing) post(ctx context.Context, path string, bodied bool) error {
	if w.key == "" {
		w.key = rand.Text()
	}
	return w.send(ctx, request{method: http.MethodPost, path: path, header: map[string]string{keyHeader: w.key}}, bodied)
}

// send sends the request with the body, which may be missing unless bodied, and prints the record that it answers.
func (w *writing) send(ctx context.Context, r request, bodied bool) (err error) {
	if err := validForm(*w.form); err != nil {
		return err
	}
	if r.body, err = w.body(); err != nil {
		return err
	}
	if bodied && r.body == nil {
		return usage("a body is wanted; give --file or --data")
	}
	c, err := w.call(w.connect)
	if err != nil {
		return err
	}
	a, err := c.send(ctx, r)
	if err != nil {
		return w.resumable(err)
	}
	if a.replayed() {
		fmt.Fprintln(w.Err, "Nothing new: this was done before with the same key.")
	}
	return w.print(*w.form, a, a.body)
}

// resumable adds how to repeat a POST of which it is not known whether it was carried out.
func (w *writing) resumable(err error) error {
	_, lost := errors.AsType[*unreachable](err)
	r, answered := errors.AsType[*refusal](err)
	uncertain := lost || answered && r.status >= http.StatusInternalServerError || errors.Is(err, context.Canceled)
	if w.key == "" || !uncertain {
		return err
	}
	return &hinted{err, fmt.Sprintf("It may have been carried out or not. With --idempotency-key %s the same command does nothing twice.", w.key)}
}

func (w *writing) body() ([]byte, error) {
	switch w.file {
	case "":
		if w.data == "" {
			return nil, nil
		}
		return []byte(w.data), nil
	case "-":
		return io.ReadAll(w.In)
	default:
		return os.ReadFile(w.file)
	}
}
