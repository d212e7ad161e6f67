package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// accessPath begins the path of the access list of a policy.
const accessPath = "/x/access/"

// unchanged is the entity tag of an access list that nobody has changed yet.
const unchanged = `"0"`

// newKeeper returns the client of the service that has access lists written everywhere; nil where organisations do not
// share the exchange, or where nothing serves access lists.
func (g *gateway) newKeeper() (*peer.Client, error) {
	endpoint := g.table.find(accessPath + "-")
	if !g.Organisations || endpoint == nil {
		return nil, nil
	}
	to := g.Upstreams[endpoint.service]
	config := peer.Config{
		Name: endpoint.service, Transport: to.Transport, Handler: to.Handler, Credentials: g.Credentials,
		Address: "http://" + endpoint.service,
	}
	if to.Handler == nil {
		config.Address = to.URL.String()
	}
	return peer.New(config)
}

// keep has the access list written everywhere that a service asks for in the header of its response, in the name of the
// caller. A list that was changed since is left as it is. Errors: problem.Outage, those of the peer.
func (g *gateway) keep(ctx context.Context, header http.Header) error {
	asked := header[request.KeepsHeader]
	if len(asked) == 0 {
		return nil
	}
	delete(header, request.KeepsHeader)
	var list beyond.Access
	err := json.Unmarshal([]byte(asked[0]), &list)
	if err == nil && g.keeper == nil {
		err = errors.New("nothing serves access lists")
	}
	if err != nil {
		return problem.Outage(fmt.Errorf("the access list of a renewal: %w", err))
	}
	body, err := json.Marshal(beyond.AccessList{Participants: list.Participants})
	if err != nil {
		return err
	}
	reply, err := g.keeper.Do(ctx, peer.Call{
		Method: http.MethodPut, Path: accessPath + url.PathEscape(list.PolicyNumber), Body: body,
		Header: http.Header{"If-Match": {unchanged}},
	})
	if err == nil && reply.Status != http.StatusOK && reply.Status != http.StatusPreconditionFailed {
		err = problem.Outage(fmt.Errorf("the access list of a renewal is not written (%d)", reply.Status))
	}
	return err
}

// heldBack is the response of a service of this process that the caller has only once an access list is kept.
type heldBack struct {
	status int
	body   bytes.Buffer
}

// release sends the response that was held back, or the problem of what it was held back for.
func (h *handedOver) release(c *gin.Context) {
	header := h.Header()
	if err := h.gateway.keep(c.Request.Context(), header); err != nil {
		for _, name := range []string{"Content-Length", "ETag", "Idempotency-Replayed", "Location"} {
			header.Del(name)
		}
		process.Refuse(c, problem.From(err))
		return
	}
	h.ResponseWriter.WriteHeader(h.held.status)
	_, _ = h.ResponseWriter.Write(h.held.body.Bytes()) // the caller may be gone
}
