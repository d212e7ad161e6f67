package desk

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/deploy/exchange/client"
)

const contractsPath = "/x/contract"

func contract(around client.Surroundings) *cobra.Command {
	return group(&cobra.Command{
		Use: "contract", Short: "The contracts that are reported under: list, get, put, assign",
		Long: `The contracts that are reported under: which policies belong to them, and how and when they are reported.
The document of the exchange (/docs) describes the members of a contract.`,
	}, contracts(around), readContract(around), putContract(around), assign(around))
}

func contractPath(reference string) string { return contractsPath + "/" + url.PathEscape(reference) }

func contracts(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "list", Short: "List the contracts, by reference",
		Example: `  exchange contract list -o table`,
	}, func(o *office, ctx context.Context, _ []string) error {
		query := url.Values{"limit": {"200"}}
		header := []string{
			"CONTRACT", "COVERHOLDER", "INCEPTION", "EXPIRY", "LINES", "CUR", "EVERY", "SIGN-OFF", "VERSION",
		}
		return pages(o, header, func() ([]desk.ContractVersion, bool, error) {
			page, _, err := read[desk.ContractList](ctx, o, contractsPath, query)
			query.Set("after", page.Next)
			return page.Contracts, page.Next != "", err
		}, func(v desk.ContractVersion) []string {
			c := v.Contract
			return []string{
				v.Reference, c.CoverholderName, string(c.Inception), string(c.Expiry), strings.Join(c.Lines, ", "),
				c.Currency, c.Frequency, c.SignOff, strconv.FormatInt(v.Version, 10),
			}
		})
	})
}

func readContract(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{
		Use: "get CONTRACT", Short: "Show a contract, as it is now or was at an instant",
		Example: `  exchange contract get MOTOR-2026
  exchange contract get MOTOR-2026 --at 2026-03-01T00:00:00Z`,
	}
	at := c.Flags().String("at", "", "the instant, such as 2026-03-01T00:00:00Z; now if not given")
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		query := url.Values{}
		if *at != "" {
			query.Set("at", *at)
		}
		body, err := o.exchange(ctx, client.Request{Method: http.MethodGet, Path: contractPath(args[0]), Query: query})
		return orPrint(o, body, err)
	})
}

func putContract(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "put CONTRACT FILE", Short: "Make or change a contract, as a JSON file has it",
		Long: "Make or change a contract. The file has the contract as JSON, as get shows it in its member " +
			"contract; - is the standard input.",
		Example: `  exchange contract put MOTOR-2026 contract.json`,
	}, func(o *office, ctx context.Context, args []string) error {
		text, err := o.text(args[1])
		if err != nil {
			return client.Misuse(fmt.Sprintf("the contract: %v", err))
		}
		body, err := o.exchange(ctx, client.Request{Method: http.MethodPut, Path: contractPath(args[0]), Body: text})
		return orPrint(o, body, err)
	})
}

func assign(around client.Surroundings) *cobra.Command {
	return command(around, &cobra.Command{
		Use: "assign CONTRACT POLICY", Short: "Have a policy reported under a contract, whatever its line and term",
		Example: `  exchange contract assign MOTOR-2026 $POLICY`,
	}, func(o *office, ctx context.Context, args []string) error {
		body, err := o.exchange(ctx, client.Request{
			Method: http.MethodPut, Path: contractPath(args[0]) + "/policy/" + url.PathEscape(args[1]),
		})
		return orPrint(o, body, err)
	})
}
