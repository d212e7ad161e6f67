package register_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/register"
	"insurance.example/exchange/contracts/settings"
)

func TestRegisterNamesTheRulesThatAreConfigured(t *testing.T) {
	items, err := register.Load()
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, i := range items {
		named = append(named, i.Settings...)
	}
	for _, rule := range []string{
		settings.ValueSets, settings.KeyRetention, settings.ReportingWindow, settings.RefundReceiptType,
		settings.BordereauPeriod,
		settings.TripLength, settings.AnnualLength, settings.TimeZone, settings.AdminMayRead,
		"jwt-issuer", "jwt-audience",
	} {
		if !slices.Contains(named, rule) {
			t.Errorf("no item is configured by --%s", rule)
		}
	}
}

func TestPageHasARowForEveryItem(t *testing.T) {
	items, err := register.Load()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("register.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if !strings.Contains(string(page), "| "+i.Item+" |") {
			t.Errorf("the page has no row for %q", i.Item)
		}
	}
	if string(page) != register.Markdown(items) {
		t.Error("the page is not the one that is generated from the items")
	}
}
