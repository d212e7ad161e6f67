// Command policy creates a policy with its parties, files a claim, settles it, reads both back, and follows what
// happened in the feed. It fails unless each comes back as it was sent, to the last digit.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	exchange "insurance.example/exchange/clients/go"
)

// premium has more digits than a float64 holds, and reserve more than the 53 bits of its mantissa.
const (
	premium json.Number = "123456789012345678.12"
	reserve int64       = 9007199254740993
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: policy BASE-URL, with the token in EXCHANGE_TOKEN")
		os.Exit(2)
	}
	token := func(context.Context) (string, error) { return os.Getenv("EXCHANGE_TOKEN"), nil }
	client := exchange.New(os.Args[1], token)
	if err := story(context.Background(), client); err != nil {
		fmt.Fprintln(os.Stderr, "policy:", err)
		os.Exit(1)
	}
}

func story(ctx context.Context, client *exchange.Client) error {
	policy, err := policyWithParties(ctx, client)
	if err != nil {
		return err
	}
	if is := policy.GrossWrittenPremium; is == nil || *is != premium {
		return fmt.Errorf("the premium is %v, not %s", is, premium)
	}
	feed := &exchange.ReadEventsParams{PolicyNumber: new(policy.PolicyNumber), After: new("now")}
	begun, err := client.ReadEvents(ctx, feed)
	if err != nil {
		return fmt.Errorf("the feed: %w", err)
	}
	claim, err := client.CreateClaim(ctx, nil, exchange.ClaimInput{
		PolicyNumber: policy.PolicyNumber, LossDate: time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC),
		ClaimType: "other", LossCause: new("theft"), Reserve: new(reserve),
	})
	if err != nil {
		return fmt.Errorf("the claim: %w", err)
	}
	payment := exchange.SettlementInput{PaymentAmount: 123456789, PaymentMethod: new(exchange.PaymentMethod("cash"))}
	id := claim.Value.Id.String()
	settled, err := client.SettleClaim(ctx, id, nil, payment)
	if err != nil {
		return fmt.Errorf("the settlement: %w", err)
	}
	is := settled.Value
	if is.Status != "closed" || is.Payments == nil || (*is.Payments)[0].PaymentAmount != 123456789 {
		return fmt.Errorf("the claim is %+v", is)
	}
	_, err = client.SettleClaim(ctx, id, nil, payment)
	if !exchange.IsProblem(err, "/problems/transition-not-listed") {
		return errors.Join(errors.New("a closed claim is settled again"), err)
	}
	read, err := client.GetClaim(ctx, id, nil)
	if err != nil {
		return fmt.Errorf("the claim cannot be read: %w", err)
	}
	if is := read.Value.Reserve; is != reserve || read.ETag() != settled.ETag() {
		return fmt.Errorf("the reserve is %v, not %d, in version %s", is, reserve, read.ETag())
	}
	feed.After, feed.Wait = &begun.Value.Next, new(int64(20))
	return follow(ctx, client, feed, "exchange.claim.created", "exchange.claim.settled")
}

// follow reads the feed on until it had events of these types, in order and no others. A program that follows for long
// stores next with what it made of the page.
func follow(ctx context.Context, client *exchange.Client, feed *exchange.ReadEventsParams, types ...string) error {
	for len(types) > 0 {
		page, err := client.ReadEvents(ctx, feed)
		if err != nil {
			return fmt.Errorf("the feed: %w", err)
		}
		for _, event := range page.Value.Events {
			if len(types) == 0 || event.Type != types[0] {
				return fmt.Errorf("the feed has %s %s, and not %v", event.Type, event.Id, types)
			}
			types = types[1:]
		}
		feed.After = &page.Value.Next
	}
	return nil
}

// policyWithParties creates a policyholder, a vehicle, a driver and a policy. Each has an Idempotency-Key, so that a
// request that is sent again makes no second record.
func policyWithParties(ctx context.Context, client *exchange.Client) (exchange.MotorCoverageResult, error) {
	var none exchange.MotorCoverageResult
	run := time.Now().Format(time.RFC3339Nano)
	key := func(part string) *string { return new(run + " " + part) }
	holder, err := client.CreateCommercial(ctx, &exchange.CreateCommercialParams{IdempotencyKey: key("holder")},
		exchange.CommercialInput{Name: new("Example Carriers")})
	if err != nil {
		return none, fmt.Errorf("the policyholder: %w", err)
	}
	vehicle, err := client.CreateVehicle(ctx, &exchange.CreateVehicleParams{IdempotencyKey: key("vehicle")},
		exchange.VehicleInput{PlateNumber: new("EX 2026")})
	if err != nil {
		return none, fmt.Errorf("the vehicle: %w", err)
	}
	var driverInput exchange.DriverInput
	if err := json.Unmarshal([]byte(`{"name":"Ada","licence":{"expiryDate":"2099-12-31"}}`), &driverInput); err != nil {
		return none, err
	}
	driver, err := client.CreateDriver(ctx, &exchange.CreateDriverParams{IdempotencyKey: key("driver")}, driverInput)
	if err != nil {
		return none, fmt.Errorf("the driver: %w", err)
	}
	input := exchange.MotorCoverageInput{
		PolicyholderId: holder.Value.Id, VehicleId: vehicle.Value.Id, DriverId: driver.Value.Id,
		Premium: new(premium), Perils: new([]exchange.MotorPeril{"theft"}),
		InceptionDate: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		ExpiryDate:    time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	parameters := &exchange.CreateMotorCoverageParams{IdempotencyKey: key("policy")}
	policy, err := client.CreateMotorCoverage(ctx, parameters, input)
	if err != nil {
		return none, fmt.Errorf("the policy: %w", err)
	}
	again, err := client.CreateMotorCoverage(ctx, parameters, input)
	if err != nil || !again.Replayed() || again.Value.Id != policy.Value.Id {
		return none, errors.Join(errors.New("the same request made another policy, or none"), err)
	}
	return policy.Value, nil
}
