// Command compatibility compares the contracts of the exchange with those of the last release, and fails if a change
// breaks those who rely on them. The contracts are the OpenAPI document for callers, the internal operations that
// services offer to each other, and the messages of Kafka. A change may break if the major version of its contract is
// a new one.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compatibility RELEASED-CONTRACTS CONTRACTS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compatibility:", err)
		os.Exit(1)
	}
}

// run compares every contract in the folder of the last release with the one of the same name in the folder of today,
// and writes what breaks. Its error says how many contracts break their promise.
func run(released, today string, out io.Writer) error {
	contracts, err := find(released, today)
	if err != nil {
		return err
	}
	broken := 0
	for _, c := range contracts {
		breaks, err := c.compare()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if len(breaks) == 0 {
			continue
		}
		broken++
		for _, b := range breaks {
			_, _ = fmt.Fprintf(out, "%s: %s\n", c.name, b)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d contracts break those who rely on the last release; add instead of changing, "+
			"or give the contract the next major version (CONTRIBUTING.md, A contract)",
			broken, len(contracts))
	}
	return nil
}
