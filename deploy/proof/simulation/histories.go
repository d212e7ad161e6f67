package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/history"
)

// remembered maps a service to the resources of which the simulation checks the histories, each with its collection.
var remembered = map[string]struct{ resource, collection string }{
	"claims":   {"claim", "claim"},
	"coverage": {"cyberLiabilityCoverage", "policy"},
}

// checkHistories reads the history of every record over HTTP, and compares it with the stored versions.
func (x *exchange) checkHistories(complain func(string, ...any)) error {
	read := make(map[string]bool)
	for _, h := range x.hosts {
		of, found := remembered[h.service]
		if !found || read[h.service] {
			continue
		}
		read[h.service] = true
		reader, err := h.reader()
		if err != nil {
			return err
		}
		for _, doc := range x.store.Documents(of.collection) {
			id := doc.ID.String()
			if err := reader.compare(of.resource, id, x.store.Versions(of.collection, doc.ID)); err != nil {
				complain("%s %s: %v", of.resource, id, err)
			}
		}
		if h.service == "coverage" {
			if err := x.checkDates(reader, complain); err != nil {
				return err
			}
		}
	}
	return nil
}

// reader returns a process that reads the store directly. It does not wait for the scheduler, and runs no loops.
func (h *host) reader() (*replica, error) {
	p := &replica{world: h.world, label: "reader", headerOf: h.program.headerOf}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	instance, err := h.program.start(p.ctx, process.Links{
		Store: h.store, Now: h.now, Peer: h.peers(p),
	})
	if err != nil {
		return nil, err
	}
	p.engine = instance.Handler.(*gin.Engine)
	return p, nil
}

// dates are the members that an as-of read adds to a record.
var dates = regexp.MustCompile(`(,"coverEnds":"[^"]*")?(,"effectiveDate":"[^"]*")?}$`)

// compare reads the history of a record, and the record as of the instant of each event. It returns the differences
// from the stored versions: each version must be one event.
func (p *replica) compare(resource, id string, versions [][]byte) error {
	var page history.History
	if err := p.read(rest.ExtensionPrefix+"/history/"+resource+"/"+id+"?limit="+strconv.Itoa(rest.MaxLimit),
		&page); err != nil {
		return err
	}
	if len(page.History) != len(versions) {
		return fmt.Errorf("its history has %d events, and it had %d versions", len(page.History), len(versions))
	}
	for i, event := range page.History {
		if event.Number != int64(i+1) {
			return fmt.Errorf("event %d of its history has the number %d", i+1, event.Number)
		}
		// If several events have one instant, the last one decides.
		last := i
		for last+1 < len(versions) && page.History[last+1].At.Equal(event.At) {
			last++
		}
		at := url.QueryEscape(event.At.Format(time.RFC3339Nano))
		var body json.RawMessage
		if err := p.read(rest.ExtensionPrefix+"/asof/"+resource+"/"+id+"?at="+at, &body); err != nil {
			return err
		}
		if body = dates.ReplaceAll(body, []byte("}")); !bytes.Equal(body, versions[last]) {
			return fmt.Errorf("as of %v, its event %d, it is %s, and it was %s", event.At, i+1, body, versions[last])
		}
	}
	return nil
}

// read reads a path into a value.
func (p *replica) read(path string, into any) error {
	response := p.serve(as(p.ctx, "reader"), http.MethodGet, path, "", p.headerOf(p.ctx))
	if response.Code != http.StatusOK {
		return fmt.Errorf("GET %s: %d %s", path, response.Code, response.Body)
	}
	return json.Unmarshal(response.Body.Bytes(), into)
}
