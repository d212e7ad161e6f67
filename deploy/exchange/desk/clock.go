package desk

import (
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/deploy/exchange/client"
)

func clock(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "clock [INSTANT]", Short: "Show the test clock of an exchange that has one, or move it forward",
		Long: `Show what the test clock of an exchange shows, or move it forward to an instant: what depends on time,
such as the end of a month, has then come. Only exchange run with --test-clock or --demo has such a clock.`,
		Example: `  exchange clock
  exchange clock 2026-02-01
  exchange clock 2026-02-01T09:00:00Z`,
	}, func(o *office, ctx context.Context, args []string) error {
		asked := client.Request{Method: http.MethodGet, Path: "/x/clock"}
		if len(args) > 0 {
			to, err := time.Parse(time.RFC3339, args[0])
			if err != nil {
				to, err = time.Parse(time.DateOnly, args[0])
			}
			if err != nil {
				return client.Misuse("INSTANT is a day such as 2026-02-01, or an instant such as 2026-02-01T09:00:00Z")
			}
			asked.Method, asked.Path = http.MethodPost, "/x/clock:advance"
			if asked.Body, err = json.Marshal(beyond.ClockMove{To: scalar.Instant(to)}); err != nil {
				return err
			}
		}
		body, err := o.exchange(ctx, asked)
		if client.Refused(err, "not-found") {
			return client.Hinted(err, "Only exchange run with --test-clock or --demo has a test clock.")
		}
		if err != nil || o.form != asTable {
			return orPrint(o, body, err)
		}
		var shown beyond.Clock
		if err := json.Unmarshal(body, &shown); err != nil {
			return err
		}
		return o.table([][]string{{"NOW"}, {shown.Now.Time().Format(time.RFC3339)}})
	})
}
