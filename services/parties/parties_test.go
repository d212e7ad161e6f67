package parties_test

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/parties"
)

func start(t *testing.T, flags ...string) *servicetest.Service {
	t.Helper()
	return servicetest.Start(t, parties.Service().Definition(), servicetest.Options{Flags: flags})
}

// person returns the body of an individual. further adds members or replaces those of the body.
func person(idNumber, further string) string {
	return `{"firstName":"Ada","lastName":"Example","dob":"1990-12-10","idType":"passport","idNumber":"` + idNumber +
		`","address":{"city":"London","country":"GB"}` + further + `}`
}

// pointers returns the JSON pointers of a problem's violations.
func pointers(a servicetest.Response) []string {
	var all []string
	violations, _ := a.Body["errors"].([]any)
	for _, v := range violations {
		violation, _ := v.(map[string]any)
		pointer, _ := violation["pointer"].(string)
		all = append(all, pointer)
	}
	return all
}

var requiredOfPersonal = []string{"/firstName", "/lastName", "/dob", "/address", "/idType", "/idNumber"}

func TestAPersonIsWholeAtEveryWrite(t *testing.T) {
	s := start(t)
	path := "/personal/" + s.Create("personal", person("X1", ""))
	for method, to := range map[string]string{"POST": "/personal", "PUT": path} {
		a := s.Must(400, method, to, `{}`)
		if a.Member("type") != "/problems/required-fields-missing" || !slices.Equal(pointers(a), requiredOfPersonal) {
			t.Errorf("%s {}: %s", method, a.Text)
		}
		a = s.Must(400, method, to,
			strings.Replace(person("X2", ""), `"dob":"1990-12-10"`, `"dob":null,"lastName":""`, 1))
		if a.Status != 400 {
			t.Errorf("%s without dob: %s", method, a.Text)
		}
		for _, unseen := range []string{" ", "\u00a0", "\u200b\u200d"} {
			a = s.Must(400, method, to, strings.Replace(person("X2", ""), `"Example"`, `"`+unseen+`"`, 1))
			if !slices.Equal(pointers(a), []string{"/lastName"}) {
				t.Errorf("%s with the lastName %+q: %s", method, unseen, a.Text)
			}
		}
	}
	if a := s.Must(200, "GET", path, ""); a.Member("firstName") != "Ada" {
		t.Errorf("a refused replacement erased the person: %s", a.Text)
	}
	s.Must(200, "PUT", path, person("X1", `,"middleName":"Byron"`))
}

func TestPartiesAreKnownByIDTypeAndIDNumber(t *testing.T) {
	s := start(t)
	first := s.Create("personal", person("X1", ""))
	conflict := func(a servicetest.Response) {
		t.Helper()
		if a.Member("type") != "/problems/party-exists" || a.Member("existingId") != first {
			t.Errorf("problem %s, want party-exists of %s", a.Text, first)
		}
	}
	conflict(s.Must(409, "POST", "/personal", person("X1", "")))
	// The row of the conflict is checked before rules that the errors table does not list, such as that of the
	// country.
	conflict(s.Must(409, "POST", "/personal", strings.Replace(person("X1", ""), "GB", "XX", 1)))
	uk := s.Must(400, "POST", "/personal", strings.Replace(person("X4", ""), "GB", "UK", 1))
	if !strings.Contains(uk.Text, "what is meant is GB") {
		t.Error(uk.Text)
	}
	conflict(s.Must(409, "PUT", "/personal/"+s.Create("personal", person("X2", "")), person("X1", "")))
	s.Create("personal", strings.Replace(person("X1", ""), "passport", "driving licence", 1)) // both together
	if a := s.Must(400, "POST", "/personal",
		strings.Replace(person("X3", ""), "GB", "XX", 1)); !slices.Equal(pointers(a), []string{"/address/country"}) {
		t.Errorf("an unknown country: %s", a.Text)
	}
}

func TestARetryIsNoConflict(t *testing.T) {
	s := start(t)
	first := s.Must(201, "POST", "/personal", person("X1", ""), "Idempotency-Key", "k")
	again := s.Must(200, "POST", "/personal", person("X1", ""), "Idempotency-Key", "k")
	if again.Member("id") != first.Member("id") {
		t.Errorf("a retry made another party: %s", again.Text)
	}
	s.Must(409, "POST", "/personal", person("X1", ""), "Idempotency-Key", "other")
	s.Must(409, "POST", "/personal", person("X1", ""))
	s.Must(422, "POST", "/personal", person("X1", `,"middleName":"Byron"`), "Idempotency-Key", "k")
	s.Must(400, "POST", "/personal", strings.Replace(person("X1", ""), "Ada", "", 1), "Idempotency-Key", "k")
}

func TestPartiesAreFound(t *testing.T) {
	s := start(t)
	s.Create("personal", person("X1", ""))
	s.Create("commercial", `{"name":"Straßen AG","registrationNumber":"R-1"}`)
	s.Create("insuranceEntity", `{"name":"Harbour Mutual","registrationNumber":"R-2"}`)
	for query, found := range map[string]int{
		"personal?firstName=ad": 1, "personal?lastName=EXAM": 1, "personal?idNumber=X1&idType=passport": 1,
		"personal?idNumber=x1":  0,
		"personal?firstName=da": 0, "commercial?name=STRASS": 1, "commercial?registrationNumber=R-1": 1,
		"insuranceEntity?name=harbour%20": 1, "insuranceEntity?registrationNumber=R-1": 0,
	} {
		if a := s.Must(200, "GET", "/"+query, ""); strings.Count(a.Text, `"id"`) != found {
			t.Errorf("%s: %s, want %d", query, a.Text, found)
		}
	}
	s.Must(400, "GET", "/beneficiary?name=x", "")
}

func TestOtherServicesAskWhetherAPartyExists(t *testing.T) {
	s := start(t)
	for resource, body := range map[string]string{
		"personal": person("X1", ""), "commercial": `{"name":"A"}`, "insuranceEntity": `{}`,
		"beneficiary": `{"share":0.5}`,
	} {
		id := s.Create(resource, body)
		if a := s.Must(200, "GET", "/internal/party/"+id, ""); a.Member("resource") != resource {
			t.Errorf("%s: %s", resource, a.Text)
		}
	}
	for _, id := range []string{"no-id", "00000000-0000-7000-8000-000000000000"} {
		s.Must(404, "GET", "/internal/party/"+id, "")
	}
}

func TestValueSetsOfADeployer(t *testing.T) {
	file := t.TempDir() + "/sets.yaml"
	if err := os.WriteFile(file, []byte("EntityType:\n  extend: [captive]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--value-sets", file)
	s.Create("insuranceEntity", `{"type":"captive"}`)
	a := s.Must(400, "POST", "/insuranceEntity", `{"type":"circus"}`)
	if !slices.Equal(pointers(a), []string{"/type"}) {
		t.Errorf("an unknown type: %s", a.Text)
	}
}

// TestNamesAreFoundAsTheyAreTyped looks for names by how somebody types them who has no such keys.
func TestNamesAreFoundAsTheyAreTyped(t *testing.T) {
	s := start(t)
	for i, name := range []string{"Żółć", "O’Brien", "Brien", "李", "Zola"} {
		s.Create("personal", strings.Replace(person(string(rune('A'+i)), ""), "Example", name, 1))
		s.Create("commercial", `{"name":"`+name+` Ltd"}`)
	}
	found := func(path, value, member string) string {
		t.Helper()
		var all []string
		var records []map[string]any
		answered := s.Must(200, "GET", path+url.QueryEscape(value), "").Text
		if err := json.Unmarshal([]byte(answered), &records); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			name, _ := r[member].(string)
			all = append(all, strings.TrimSuffix(name, " Ltd"))
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	for value, want := range map[string]string{
		"zol": "Zola Żółć", "ŻÓŁ": "Zola Żółć", "O'B": "O’Brien", "o´b": "O’Brien", "bri": "Brien", "李": "李",
	} {
		for path, member := range map[string]string{
			"/x/search/personal?lastNamePrefix=": "lastName", "/personal?lastName=": "lastName",
			"/x/search/commercial?namePrefix=": "name", "/commercial?name=": "name",
		} {
			if is := found(path, value, member); is != want {
				t.Errorf("%s%s finds %q, want %q", path, value, is, want)
			}
		}
	}
	s.Must(400, "GET", "/x/search/personal?lastNamePrefix=z", "")
}

// TestAShareThatIsNoPart is warned of when a beneficiary is created.
func TestAShareThatIsNoPart(t *testing.T) {
	s := start(t)
	for share, warns := range map[string]bool{
		"0": false, "0.5": false, "100": false, "100.00": false, "100.01": true, "-0.01": true,
	} {
		a := s.Must(201, "POST", "/beneficiary", `{"share":`+share+`}`)
		if strings.Contains(a.Text, `"type":"share-out-of-range"`) != warns {
			t.Errorf("a share of %s: %s", share, a.Text)
		}
		put := s.Must(200, "PUT", "/beneficiary/"+a.Member("id"), `{"share":`+share+`,"name":"B"}`)
		if strings.Contains(put.Text, "warnings") {
			t.Errorf("a replacement with a share of %s: %s", share, put.Text)
		}
	}
}
