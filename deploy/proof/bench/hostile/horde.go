package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// HordeCommand is the argument that makes this command the hostile callers of one row. They have a process of their
// own, so that what their requests and the responses to them take is not taken from the ordinary callers, whose
// latencies are measured.
const HordeCommand = "horde"

const (
	// lowPriority is the nice value of the horde. Hostile callers are on other machines: they do not take the
	// processors of the exchange, other than by what they send.
	lowPriority = 10
	// hostileRate is the most hostile requests in a second, of all callers of a row together. More would measure how
	// fast the machine moves bytes to the exchange, because their sender runs on it as well.
	hostileRate = 200
	// patience is how long after the end of a measurement a response is waited for: longer than the exchange works on
	// any request.
	patience = 30 * time.Second
)

// orders say what a horde is to do.
type orders struct {
	Address, Token string
	Prey           prey
	Row            string
	Duration       time.Duration
}

var (
	beginning = regexp.MustCompile(`(begins)\n`)
	ending    = regexp.MustCompile(`begins\n(.*)\n`)
)

// startHorde starts the process and returns when it begins to send.
func startHorde(o orders) (*trial.Process, error) {
	file, err := sides.WriteOrders(o)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	horde, err := trial.Start("nice", nil, "-n", strconv.Itoa(lowPriority), self, HordeCommand, file)
	if err != nil {
		return nil, err
	}
	if _, err := horde.Find(horde.Stdout, beginning); err != nil {
		return nil, errors.Join(err, horde.Kill())
	}
	return horde, nil
}

// statusesOf waits until a horde has ended and returns how often each status came.
func statusesOf(horde *trial.Process) (all load.Statuses, err error) {
	text, err := horde.Find(horde.Stdout, ending)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal([]byte(text), &all)
}

// ServeHorde is the process of the hostile callers, with its orders in a file. It writes when it begins, and then how
// often each status came.
func ServeHorde(out io.Writer, file string) error {
	var o orders
	if err := sides.ReadOrders(file, &o); err != nil {
		return err
	}
	client := load.Dial(o.Address, o.Token, mostCallers)
	for _, a := range assaultsOn(&o.Prey, client) {
		if a.Name != o.Row {
			continue
		}
		fmt.Fprintln(out, "begins")
		plan := load.Plan{Duration: o.Duration, Rate: hostileRate, Lapses: true, Patience: patience}
		done := client.Callers(a.callers).Drive(context.Background(), plan, a.Row)
		return json.NewEncoder(out).Encode(done.Statuses())
	}
	return fmt.Errorf("there is no row %q", o.Row)
}
