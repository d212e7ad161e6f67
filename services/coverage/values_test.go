package coverage_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

func TestALicenceHasAnExpiryDate(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T12:00:00Z"))
	vehicle := s.Create("vehicle", `{}`)
	for licence, status := range map[string]int{
		`{}`:                              400,
		`{"licence":{}}`:                  400,
		`{"licence":null}`:                400,
		`{"licence":{"country":"GB"}}`:    400,
		`{"licence":{"expiryDate":null}}`: 400,
		`{"licence":{"expiryDate":"2026-05-31"}}`: 400,
		`{"licence":{"expiryDate":"2026-06-01"}}`: 201,
	} {
		a := s.Do("POST", "/motorCoverage", `{"policyholderId":"`+holder+`","vehicleId":"`+vehicle+`","driverId":"`+
			s.Create("driver", licence)+`",`+term+`}`)
		if a.Status != status || status == 400 && (a.Member("title") != "driver licence expired or missing" ||
			!strings.Contains(a.Text, `"/driverId"`)) {
			t.Errorf("%s: %d %s", licence, a.Status, a.Text)
		}
		if strings.Contains(licence, "expiryDate\":null") && !strings.Contains(a.Text, "has no expiryDate") {
			t.Errorf("%s: the missing date is not named: %s", licence, a.Text)
		}
	}
}

func TestPetBreedIsCheckedForADog(t *testing.T) {
	s := start(t, nil)
	for body, status := range map[string]int{
		`{"petKind":"dog","petBreed":"Boxer"}`:       201,
		`{"petKind":"dog","breed":"Siamese"}`:        400,
		`{"petKind":"dog"}`:                          400,
		`{"petKind":"dog","petBreed":""}`:            400,
		`{"petKind":"dog","petBreed":" "}`:           400,
		`{"petKind":"cat","petBreed":"Siamese"}`:     201,
		`{"petKind":"cat","petBreed":"Boxer"}`:       201,
		`{"petKind":"cat"}`:                          201,
		`{"petBreed":"Siamese"}`:                     201,
		`{"petKind":"unicorn","petBreed":"Siamese"}`: 400,
	} {
		if a := s.Do("POST", "/pet", body); a.Status != status {
			t.Errorf("%s: %d %s", body, a.Status, a.Text)
		}
	}
	// A cat that becomes a dog must have the breed of a dog.
	cat := s.Create("pet", `{"petKind":"cat","petBreed":"Siamese"}`)
	if a := s.Must(400, "PUT", "/pet/"+cat, `{"petKind":"dog","petBreed":"Siamese"}`); !strings.Contains(a.Text,
		`"pointer":"/petBreed"`) {
		t.Error(a.Text)
	}
	if a := s.Must(200, "PUT", "/pet/"+cat,
		`{"petKind":"cat","petBreed":"Persian"}`); a.Member("petBreed") != "Persian" {
		t.Error(a.Text)
	}
}

// TestNullIsAbsentButNotInAList sends null under each name of a member, and in each list of strings.
func TestNullIsAbsentButNotInAList(t *testing.T) {
	s := start(t, nil)
	for body, want := range map[string]string{
		`{"dob":null,"driverDOB":"1990-01-01"}`: `"driverDOB":"1990-01-01"`,
		`{"driverDOB":null,"dob":"1990-01-01"}`: `"driverDOB":"1990-01-01"`,
		`{"convictions":[null,{"x":null}]}`:     `"convictions":[null,{"x":null}]`,
	} {
		if a := s.Must(201, "POST", "/driver", body); !strings.Contains(a.Text, want) {
			t.Errorf("%s: %s", body, a.Text)
		}
	}
	property := s.Create("property", `{"propertyType":"Farm"}`)
	body := `{"policyholderId":"` + holder + `","propertyId":"` + property + `",` + term
	a := s.Must(201, "POST", "/propertyCoverage", body+
		`,"deductibles":{"deductibleAmountBuilding":null,"deductibleAmountContent":8},"deductibleAmountBuilding":7}`)
	if !strings.Contains(a.Text, `"deductibleAmountBuilding":7,"deductibleAmountContent":8`) {
		t.Error(a.Text)
	}
	for resource, list := range map[string]string{
		"motorCoverage": "perils", "cyberLiabilityCoverage": "scope", "travelCoverage": "travellerIds",
		"propertyCoverage":    "propertyIds",
		"tradeCreditCoverage": "perils", "businessInterruptionCoverage": "perils", "petCoverage": "benefits",
	} {
		a := s.Must(400, "POST", "/"+resource, `{"policyholderId":"`+holder+`","`+list+`":["x",null]}`)
		if a.Member("title") != "invalid field" ||
			!strings.Contains(a.Text, `"pointer":"/`+list+`/1","reason":"must not be null"`) {
			t.Errorf("%s: %s", resource, a.Text)
		}
	}
}

// TestAProblemLists32ViolationsAndCountsTheRest sends a list of the greatest allowed length in which every element is
// wrong.
func TestAProblemLists32ViolationsAndCountsTheRest(t *testing.T) {
	s := start(t, nil)
	traveller := s.Create("traveller", `{}`)
	ids := strings.TrimSuffix(strings.Repeat(`"x",`, 9_999), ",")
	a := s.Must(404, "POST", "/travelCoverage", `{"policyholderId":"`+holder+
		`","isGroup":true,"destination":826,"travellerIds":["`+traveller+`",`+ids+`]}`)
	if errors, _ := a.Body["errors"].([]any); len(errors) != 32 || a.Body["moreErrors"] != float64(9_999-32) {
		t.Errorf("%d errors, %v more", len(errors), a.Body["moreErrors"])
	}
	a = s.Must(400, "POST", "/motorCoverage", `{"perils":[`+strings.Repeat(`"x",`, 10_000)+`"x"]}`)
	if a.Member("title") != "malformed body" || !strings.Contains(a.Text, `"pointer":"/perils"`) {
		t.Error(a.Text)
	}
}
