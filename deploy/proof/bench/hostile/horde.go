package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
)

// HordeCommand is the argument that makes this command the hostile callers of one row. They have a process of their
// own, so that what their requests and the responses to them take is not taken from the ordinary callers, whose
// latencies are measured.
const HordeCommand = "horde"

// lowPriority is the nice value of the horde. Where callers are hostile, they are so from other machines: they do not
// take the processors of the exchange, other than by what they send.
const lowPriority = 10

// orders are what a horde is to do.
type orders struct {
	Address, Token string
	Prey           prey
	Row            string
	Duration       time.Duration
}

// horde is the process of the hostile callers of a row.
type horde struct {
	to   *json.Encoder
	from *json.Decoder
	// disband ends the process, and that which it sends to if it is not the exchange.
	disband func()
}

// startHorde starts the process and returns when it can begin. target is what it sends to, nil for the exchange.
func startHorde(ctx context.Context, target *process.Child, o orders) (*horde, error) {
	h := &horde{disband: func() {
		if target != nil {
			target.Stop()
		}
	}}
	err := h.start(ctx)
	if err == nil {
		var ready bool
		err = errors.Join(h.to.Encode(o), h.from.Decode(&ready))
	}
	if err != nil {
		h.disband()
		return nil, fmt.Errorf("hostile callers: %w", err)
	}
	return h, nil
}

func (h *horde) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, "nice", "-n", strconv.Itoa(lowPriority), self, HordeCommand)
	command.Stderr = os.Stderr
	in, noIn := command.StdinPipe()
	out, noOut := command.StdoutPipe()
	if err := errors.Join(noIn, noOut); err != nil {
		cancel()
		return err
	}
	if err := command.Start(); err != nil {
		cancel()
		return err
	}
	h.to, h.from = json.NewEncoder(in), json.NewDecoder(out)
	stopTarget := h.disband
	h.disband = func() {
		cancel()
		_ = command.Wait() // it was told to end
		stopTarget()
	}
	return nil
}

// assail has the callers send for the time of their orders, and returns how often each status came.
func (h *horde) assail() (statuses map[int]int64, err error) {
	if err := errors.Join(h.to.Encode(true), h.from.Decode(&statuses)); err != nil {
		return nil, fmt.Errorf("hostile callers: %w", err)
	}
	return statuses, nil
}

// ServeHorde is the process of the hostile callers. It reads its orders and then the word to begin, and writes the
// statuses.
func ServeHorde(in io.Reader, out io.Writer) error {
	from, to := json.NewDecoder(in), json.NewEncoder(out)
	var o orders
	if err := from.Decode(&o); err != nil {
		return err
	}
	for _, a := range assaultsOn(&o.Prey) {
		if a.name != o.Row {
			continue
		}
		foe := &target{client: load.Dial(o.Address, o.Token, a.callers)}
		var begin bool
		if err := errors.Join(to.Encode(true), from.Decode(&begin)); err != nil {
			return err
		}
		ctx, end := context.WithTimeout(context.Background(), o.Duration)
		defer end()
		return to.Encode(foe.assail(ctx, a))
	}
	return fmt.Errorf("there is no row %q", o.Row)
}
