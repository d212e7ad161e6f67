package overload

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// CrowdCommand is the argument that makes this command the crowd of one row. It has a process of its own, so that what
// its requests take is not taken from the calm caller, whose times are measured.
const CrowdCommand = "crowd"

// crowdCallers is the number of connections of a crowd. Each asks again as soon as it has its response.
const crowdCallers = 4000

// crowd is a row of the table of fairness.
type crowd struct {
	name string
	// token returns the token of the nth request, made from a valid one.
	token func(valid string, n uint64) string
	// writes says that it creates vehicles in place of reading them.
	writes bool
	// resets says that it speaks HTTP/2 and takes each request back as soon as it was sent.
	resets bool
	// shared says that the crowd is several persons of one organisation, and the calm caller of another. They ask for
	// so many times what would be the part of each.
	shared bool
}

func valid(token string, _ uint64) string { return token }

var crowds = []*crowd{
	{name: "4000 strangers without a token", token: func(string, uint64) string { return "" }},
	{name: "4000 forged tokens", token: forged},
	{name: "one greedy caller, 4000 reads", token: valid},
	{name: "one greedy caller, 4000 creates", token: valid, writes: true},
	{name: "4000 connections that reset requests", token: valid, resets: true},
	{name: greedyOrganisation, token: valid, writes: true, shared: true},
}

// forged returns a token with a signature that no key made.
func forged(token string, _ uint64) string {
	end := strings.LastIndexByte(token, '.')
	signature := make([]byte, base64.RawURLEncoding.DecodedLen(len(token)-end-1))
	_, _ = rand.Read(signature) // never fails
	return token[:end+1] + base64.RawURLEncoding.EncodeToString(signature)
}

// crowdOrders say what a crowd is to do.
type crowdOrders struct {
	Address, Row string
	Tokens       []string // of the persons, who take turns
	Vehicles     []string
	Callers      int
	Rate         float64 // requests a second; 0: each caller asks again as soon as it has its response
	Duration     time.Duration
}

var (
	begins = regexp.MustCompile(`(begins)\n`)
	ends   = regexp.MustCompile(`begins\n(.*)\n`)
)

// gather starts the process of a crowd and returns when all its connections are in use. ended waits for its end, and
// returns how often each status came.
func (c *crowd) gather(
	ctx context.Context, run *measurement.Run, written *records.Book, rate float64, d time.Duration,
) (ended func() (load.Statuses, error), err error) {
	orders := crowdOrders{
		Address: run.Exchange.HTTP.Addr, Row: c.name, Vehicles: written.Vehicles,
		Callers: cmp.Or(run.Callers, crowdCallers), Rate: rate, Duration: d,
	}
	organisation, persons := "", 1
	if c.shared {
		organisation, persons = greedyName, greedyPersons
		orders.Callers = cmp.Or(run.Callers, greedyCallers)
	}
	for i := range persons {
		token, err := run.Exchange.TokenOf(organisation, fmt.Sprintf("crowd %d", i))
		if err != nil {
			return nil, err
		}
		orders.Tokens = append(orders.Tokens, token)
	}
	file, err := sides.WriteOrders(orders)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	process, err := trial.Start(self, nil, CrowdCommand, file)
	if err != nil {
		return nil, err
	}
	if _, err := process.Find(process.Stdout, begins); err != nil {
		return nil, errors.Join(err, process.Kill())
	}
	return func() (all load.Statuses, err error) {
		text, err := process.Find(process.Stdout, ends)
		if err == nil {
			err = json.Unmarshal([]byte(text), &all)
		}
		return all, errors.Join(err, process.Kill(), ctx.Err())
	}, nil
}

// ServeCrowd is the process of a crowd, with its orders in a file. It writes when it begins, and then how often each
// status came.
func ServeCrowd(out io.Writer, file string) error {
	var o crowdOrders
	if err := sides.ReadOrders(file, &o); err != nil {
		return err
	}
	for _, c := range crowds {
		if c.name != o.Row {
			continue
		}
		if c.resets {
			return reset(out, &o)
		}
		return c.ask(out, &o)
	}
	return fmt.Errorf("there is no row %q", o.Row)
}

// ask has each caller ask again as soon as it has a response.
func (c *crowd) ask(out io.Writer, o *crowdOrders) error {
	call := load.Get(o.Vehicles, "/vehicle/")
	if c.writes {
		call = load.Post("/vehicle", func(uint64) []byte { return records.NewVehicle() })
	}
	row := &load.Row{Call: func(n uint64) load.Call {
		to := call(n)
		if token := c.token(load.Pick(o.Tokens, n), n); token != "" {
			to.Header, to.Value = "Authorization", "Bearer "+token
		}
		return to
	}, Status: http.StatusOK}
	callers := load.Dial(o.Address, "", 1).Apart(o.Callers)
	defer callers.Leave()
	callers.Drive(context.Background(), load.Plan{Requests: o.Callers}, row)
	fmt.Fprintln(out, "begins")
	done := callers.Drive(context.Background(), load.Plan{
		Duration: o.Duration, Rate: o.Rate, Skips: o.Rate > 0, Patience: patience,
	}, row)
	return json.NewEncoder(out).Encode(done.Statuses())
}
