// Command client makes typed calls with the client that oapi-codegen generates from the OpenAPI document: a party, a
// vehicle, a driver, a policy, a claim and its settlement. It fails unless each comes back as it was sent.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"client/api"
)

// premium has more digits than a float64 holds.
const premium json.Number = "123456789012345678.12"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: client BASE-URL, with the token in EXCHANGE_TOKEN")
		os.Exit(2)
	}
	if err := story(context.Background(), os.Args[1], os.Getenv("EXCHANGE_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func story(ctx context.Context, base, token string) error {
	c, err := api.NewClientWithResponses(base, api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	name := "Example Carriers"
	party, err := c.CreateCommercialWithResponse(ctx, nil, api.CommercialInput{Name: &name})
	if err != nil || party.JSON201 == nil {
		return fmt.Errorf("the party: %v %s", err, party.Body)
	}
	plate := "EX 2026"
	vehicle, err := c.CreateVehicleWithResponse(ctx, nil, api.VehicleInput{PlateNumber: &plate})
	if err != nil || vehicle.JSON201 == nil {
		return fmt.Errorf("the vehicle: %v %s", err, vehicle.Body)
	}
	var driverInput api.DriverInput
	if err := json.Unmarshal([]byte(`{"name":"Ada","licence":{"expiryDate":"2099-12-31"}}`), &driverInput); err != nil {
		return err
	}
	driver, err := c.CreateDriverWithResponse(ctx, nil, driverInput)
	if err != nil || driver.JSON201 == nil {
		return fmt.Errorf("the driver: %v %s", err, driver.Body)
	}
	amount, perils := premium, []api.MotorPeril{"theft"}
	policy, err := c.CreateMotorCoverageWithResponse(ctx, nil, api.MotorCoverageInput{
		PolicyholderId: party.JSON201.Id, VehicleId: vehicle.JSON201.Id, DriverId: driver.JSON201.Id, Premium: &amount,
		Perils:        &perils,
		InceptionDate: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		ExpiryDate:    time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	if err != nil || policy.JSON201 == nil {
		return fmt.Errorf("the policy: %v %s", err, policy.Body)
	}
	if is := policy.JSON201.GrossWrittenPremium; is == nil || *is != premium {
		return fmt.Errorf("the premium is %v, not %s", is, premium)
	}
	cause := "theft"
	claim, err := c.CreateClaimWithResponse(ctx, nil, api.ClaimInput{
		PolicyNumber: policy.JSON201.PolicyNumber, LossDate: time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC),
		ClaimType: "other", LossCause: &cause,
	})
	if err != nil || claim.JSON201 == nil {
		return fmt.Errorf("the claim: %v %s", err, claim.Body)
	}
	settled, err := c.SettleClaimWithResponse(ctx, claim.JSON201.Id.String(), nil,
		api.SettlementInput{PaymentAmount: 123456789, PaymentMethod: "cash"})
	if err != nil || settled.JSON200 == nil {
		return fmt.Errorf("the settlement: %v %s", err, settled.Body)
	}
	if is := *settled.JSON200; is.Status != "closed" || is.Payments == nil ||
		(*is.Payments)[0].PaymentAmount != 123456789 {
		return fmt.Errorf("the claim is %+v", is)
	}
	refused, err := c.SettleClaimWithResponse(ctx, claim.JSON201.Id.String(), nil,
		api.SettlementInput{PaymentAmount: 1, PaymentMethod: "cash"})
	if err != nil || refused.ApplicationproblemJSON409 == nil ||
		refused.ApplicationproblemJSON409.Type != "/problems/transition-not-listed" {
		return fmt.Errorf("a closed claim is settled again: %v %s", err, refused.Body)
	}
	return nil
}
