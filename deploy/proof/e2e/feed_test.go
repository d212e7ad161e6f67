package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// feedPage is a page of the feed.
type feedPage struct {
	Events []struct {
		ID, Type string
		Data     struct {
			ID      string
			Version int64
		}
	}
	Next   string
	Behind []string
}

// readFeed returns a page of the feed.
func readFeed(ctx context.Context, c *trial.Client, query string) (p feedPage, err error) {
	a, err := c.Send(ctx, http.MethodGet, "/x/events?"+query, nil)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", a.Status, a.Body)
	}
	if err == nil {
		err = json.Unmarshal(a.Body, &p)
	}
	return p, err
}

// disk is what a reader of the feed has kept: the events, by record and version, together with its cursor. It outlives
// the reader.
type disk struct {
	after string
	seen  map[string]int64
	// wrong is the first event that came twice, or before an earlier version.
	wrong string
}

// keep takes a page and its cursor, both or neither.
func (d *disk) keep(p feedPage) {
	for _, e := range p.Events {
		if d.seen[e.Data.ID]+1 != e.Data.Version && d.wrong == "" {
			d.wrong = fmt.Sprintf("%s comes after version %d", e.ID, d.seen[e.Data.ID])
		}
		d.seen[e.Data.ID] = e.Data.Version
	}
	d.after = "&after=" + p.Next
}

// follow reads from where the disk is until the context ends. That ends it anywhere: before, in or after a request, or
// with a page that is not kept yet.
func (d *disk) follow(ctx context.Context, random *rand.Rand, c *trial.Client) {
	for ctx.Err() == nil {
		p, err := readFeed(ctx, c, "limit="+strconv.Itoa(1+random.IntN(200))+d.after)
		if err == nil && ctx.Err() == nil {
			d.keep(p)
		}
	}
}

// stored returns the version of every record of an exchange, by its id.
func stored(t *testing.T, c *trial.Client) map[string]int64 {
	t.Helper()
	table, err := routes.Load()
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]int64{}
	for _, r := range table.Resources {
		if !slices.Contains(r.Collection, http.MethodPost) {
			continue
		}
		for record := range trial.List(t, c, "/"+r.Resource+"?limit=200") {
			id := record.Text("id")
			tag := c.Get(t, "/"+r.Resource+"/"+id).Want(t, http.StatusOK).Header.Get("ETag")
			number, _, _ := strings.Cut(strings.Trim(tag, `"`), "-")
			if versions[id], err = strconv.ParseInt(number, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return versions
}

// wantAll reads on until the reader has an event of every version of every record, and no other.
func (d *disk) wantAll(t *testing.T, c *trial.Client) {
	t.Helper()
	wait.Until(t, func() error {
		records := stored(t, c) // rows are still written for a moment
		for {
			p, err := readFeed(t.Context(), c, "limit=200"+d.after)
			if err != nil {
				return err
			}
			if d.keep(p); len(p.Events) == 0 {
				break
			}
		}
		if maps.Equal(d.seen, records) {
			return nil
		}
		for id, version := range records {
			if d.seen[id] != version {
				return fmt.Errorf("%s has the version %d, and the feed %d", id, version, d.seen[id])
			}
		}
		return fmt.Errorf("the feed has %d records, and there are %d", len(d.seen), len(records))
	})
	if d.wrong != "" {
		t.Error(d.wrong)
	}
}

// keepChanging has callers make records and change them, each change for one turn that is given.
func keepChanging(t *testing.T, c *trial.Client, callers int, turns <-chan struct{}) *sync.WaitGroup {
	number := policy(t, c).Text("policyNumber")
	seed := chance.Seed(t)
	var changing sync.WaitGroup
	for caller := range callers {
		changing.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(caller)))
			send := func(method, path string, body trial.Record) string {
				// What is lost in a crash is not repeated.
				a, err := c.Send(t.Context(), method, path, body)
				if err != nil || a.Status >= http.StatusBadRequest {
					return ""
				}
				return a.Record(t).Text("id")
			}
			var car string
			for range turns {
				switch {
				case caller%4 == 0:
					send(http.MethodPost, "/personal", personal())
				case caller%4 == 1:
					send(http.MethodPost, "/receipt", receipt(number, 1))
				case car == "" || random.IntN(4) == 0:
					car = send(http.MethodPost, "/vehicle", vehicle())
				default:
					send(http.MethodPut, "/vehicle/"+car, vehicle().With("plateNumber", fresh("P")))
				}
			}
		})
	}
	return &changing
}

// TestAReaderThatIsKilledHasEveryEventOnce kills a reader 200 times while 64 callers write, and the exchange three
// times.
func TestAReaderThatIsKilledHasEveryEventOnce(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	const kills, callers, turnsEach = 200, 64, 12
	turns := make(chan struct{}, kills*turnsEach)
	changing := keepChanging(t, c, callers, turns)
	reader, random := disk{seen: map[string]int64{}}, rand.New(rand.NewPCG(chance.Seed(t), callers))
	for kill := range kills {
		for range turnsEach {
			turns <- struct{}{}
		}
		if kill%50 == 49 {
			if err := errors.Join(e.Kill("exchange"), e.Restart("exchange")); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(int(60*time.Millisecond))))
		reader.follow(ctx, random, c)
		cancel()
	}
	close(turns)
	changing.Wait()
	reader.wantAll(t, c)
}

// TestTheFeedOfSeparateProcesses follows the feed while a service is away.
func TestTheFeedOfSeparateProcesses(t *testing.T) {
	t.Parallel()
	e, err := commands.RunApart(t.TempDir(), nil)
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	p := policy(t, c)
	c.Create(t, "claim", loss(p.Text("policyNumber"), -2))
	reader := disk{seen: map[string]int64{}}
	reader.wantAll(t, c)
	if err := e.Kill("claims"); err != nil {
		t.Fatal(err)
	}
	made := c.Create(t, "vehicle", vehicle()).Text("id")
	wait.Until(t, func() error {
		page, err := readFeed(t.Context(), c, "wait=5"+reader.after)
		if err != nil {
			return err
		}
		if reader.keep(page); reader.seen[made] != 1 || !slices.Equal(page.Behind, []string{"claims"}) {
			return fmt.Errorf("the vehicle has version %d, behind is %v", reader.seen[made], page.Behind)
		}
		return nil
	})
	if err := e.Restart("claims"); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, func() error {
		a, err := c.Send(t.Context(), http.MethodPost, "/claim", loss(p.Text("policyNumber"), -2))
		if err == nil && a.Status != http.StatusCreated {
			err = errors.New(string(a.Body))
		}
		return err
	})
	reader.wantAll(t, c)
	// The key of the cursors outlives the process that made it.
	if err := errors.Join(e.Stop("feed"), e.Restart("feed")); err != nil {
		t.Fatal(err)
	}
	reader.wantAll(t, c)
}

// TestAWaitEndsWithTheProcess stops an exchange while a request waits for an event for longer than the drain takes. A
// wait that did not end would be cut off.
func TestAWaitEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir(), "EXCHANGE_DRAIN_TIMEOUT=20s")
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer)
	type outcome struct {
		page feedPage
		err  error
	}
	ended := make(chan outcome, 1)
	go func() {
		p, err := readFeed(t.Context(), c, "after=now&wait=30")
		ended <- outcome{p, err}
	}()
	wait.Until(t, func() error {
		if strings.Contains(e.Metrics(t, "exchange", ""), `http_requests_in_flight{service="feed"} 1`) {
			return nil
		}
		return errors.New("the request does not wait yet")
	})
	if err := e.Stop("exchange"); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.err != nil || got.page.Next == "" || len(got.page.Events) > 0 {
		t.Errorf("%+v, error %v", got.page, got.err)
	}
}
