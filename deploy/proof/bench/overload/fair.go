package overload

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// What a calm caller asks for, and the bounds of what it gets beside a crowd: the least part that is served, and the
// p99 of that.
const (
	calmRate    = 80 // requests a second
	calmCallers = 32
	leastCalm   = 0.99
	mostCalm    = 250 * time.Millisecond
)

// What an organisation asks for beside a calm one: how many times the half of what can be served, by how many persons
// over how many connections; and how many times that of the calm one alone its p99 may be.
const (
	greedyOrganisation = "one organisation at ten times its share, creates"
	greedyName         = "zenith"
	greedyPersons      = 10
	greedyCallers      = 1000
	greedyFactor       = 10
	mostBeside         = 1.5
)

// Fair returns the measurement of what a calm caller gets beside crowds.
func Fair() measurement.Kind {
	k := measurement.Kind{Measure: measureFair}
	for _, c := range crowds {
		k.Rows = append(k.Rows, c.name)
	}
	return k
}

// measureFair prints what a calm caller gets beside each crowd. It reports whether all bounds hold. Each row has a
// freshly started exchange on the same data.
func measureFair(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	fmt.Fprintf(run.Out, "a calm caller sends %d requests a second beside a crowd; bounds: %.0f %% of them are "+
		"served, p99 of these %v, beside an organisation %.1f times what it is alone\n", calmRate, 100*leastCalm,
		mostCalm, mostBeside)
	table := run.Table(Fair().Rows)
	for _, c := range crowds {
		if !run.Chosen(c.name) {
			continue
		}
		if err := measureBeside(ctx, run, c, written, table); err != nil {
			return false, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return table.Met, nil
}

// measureBeside measures one row: the calm caller alone, and then beside the crowd.
func measureBeside(
	ctx context.Context, run *measurement.Run, c *crowd, written *records.Book, table *report.Table,
) error {
	restart := run.Restart
	switch {
	case c.resets:
		restart = run.RestartSecured
	case c.shared:
		restart = func(ctx context.Context) error { return run.RestartShared(ctx, "acme") }
	}
	goOn, err := startApart(ctx, run, restart)
	if err != nil {
		return err
	}
	if c.shared {
		if written, err = records.Write(run.Exchange.Client, 1, 1); err != nil {
			return err
		}
	}
	rows := []*load.Row{
		{Name: "write", Status: http.StatusCreated,
			Call: load.Post("/vehicle", func(uint64) []byte { return records.NewVehicle() })},
	}
	for range 3 {
		rows = append(rows, &load.Row{Name: "read", Status: http.StatusOK,
			Call: load.Get(written.Vehicles, "/vehicle/")})
	}
	calm := run.Exchange.Apart(calmCallers)
	defer calm.Leave()
	plan := load.Plan{Duration: run.Duration / measurement.Turns, Rate: calmRate, Patience: patience}
	if c.shared { // what it gets is compared with this
		plan.Duration = run.Duration / 2
	}
	alone := calm.Drive(ctx, plan, rows...)
	rate := 0.0
	if c.shared {
		// Each of two organisations has a half of what can be served.
		capacity := run.Exchange.Apart(capacityCallers)
		can := capacity.Drive(ctx, load.Plan{Duration: run.Duration / measurement.Turns}, rows[0])
		capacity.Leave()
		rate = greedyFactor * float64(can.Count((*load.Sample).Served)) / can.Lasted.Seconds() / 2
	}
	plan.Duration = run.Duration / 2
	ended, err := c.gather(ctx, run, written, rate, plan.Duration)
	if err != nil {
		return err
	}
	watched := run.Exchange.Process().Watch(run.Exchange.Admin())
	profiled := run.Profile(ctx, c.name, plan.Duration)
	beside := calm.Drive(ctx, plan, rows...)
	used := watched()
	statuses, err := ended()
	if err := errors.Join(err, goOn(), profiled(), ctx.Err()); err != nil {
		return err
	}
	served := (*load.Sample).Served
	part := float64(beside.Count(served)) / float64(max(1, len(beside.Samples)))
	p99, alone99 := beside.P(0.99, served), alone.P(0.99, served)
	fair := p99 <= mostCalm
	if c.shared {
		fair = float64(p99) <= mostBeside*float64(alone99)
	}
	table.Row(c.name,
		report.Of("asked", "", 0, float64(len(beside.Samples))),
		report.Of("served %", "served-%", 1, 100*part).If(part >= leastCalm),
		report.Of("p50 ms", "calm-p50-ms", 1, 1000*beside.P(0.5, served).Seconds()),
		report.Of("p99 ms", "calm-p99-ms", 1, 1000*p99.Seconds()).If(fair),
		report.Of("alone p99 ms", "alone-p99-ms", 1, 1000*alone99.Seconds()),
		report.Of("exchange's cores", "cores", 2, used.Seconds/beside.Lasted.Seconds()),
		report.Of("memory MB", "memory-MB", 0, float64(used.Memory>>20)),
		report.Text("calm statuses", beside.Statuses().String()),
		report.Text("statuses of the crowd", statuses.String()))
	return nil
}
