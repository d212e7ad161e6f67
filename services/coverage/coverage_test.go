package coverage_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/coverage"
)

// lines are the seven lines with the least that a policy of each needs; {object} is the id of what it insures.
var lines = []struct{ name, object, objectBody, body string }{
	{"motorCoverage", "vehicle", `{"vin":"V"}`,
		`"vehicleId":"{object}","driverId":"{driver}","perils":["fire"],` + term},
	{"cyberLiabilityCoverage", "business", `{"businessSector":"x"}`,
		`"businessId":"{object}","indemnityLimitPolicy":1,` + term},
	{"travelCoverage", "traveller", `{"firstName":"T"}`, `"travellerIds":["{object}"],"destination":826,` + term},
	{"propertyCoverage", "property", `{"propertyType":"Farm"}`, `"propertyId":"{object}",` + term},
	{"tradeCreditCoverage", "debtor", `{"name":"D"}`,
		`"debtorId":"{object}","tradeCreditType":"Single Buyer","creditLimit":1,` + term},
	{"businessInterruptionCoverage", "property", `{"propertyType":"Farm"}`,
		`"propertyId":"{object}","type":"Business Interruption","IndemnityPeriod":1,` + term},
	{"petCoverage", "pet", `{"petKind":"cat"}`, `"petId":"{object}",` + term},
}

const (
	term   = `"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"`
	holder = "01930000-0000-7000-8000-000000000001"
	broker = "01930000-0000-7000-8000-000000000004"
)

// partiesWithHolder is a parties service that has a policyholder, and a broker, who is ref:BROKER as well.
var partiesWithHolder = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body := map[string]string{
		"/internal/party/" + holder:           `{"id":"` + holder + `","resource":"personal"}`,
		"/internal/party/" + broker:           `{"id":"` + broker + `","resource":"insuranceEntity"}`,
		"/internal/reference/insuranceEntity": `{"records":[{"id":"` + broker + `"}]}`,
	}[r.URL.Path]
	if body == "" {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
})

func start(t *testing.T, clock *servicetest.Clock, flags ...string) *servicetest.Service {
	t.Helper()
	return servicetest.Start(t, coverage.Service().Definition(), servicetest.Options{
		Clock: clock, Peers: map[string]http.Handler{"parties": partiesWithHolder}, Flags: flags,
	})
}

// policy creates a policy of a line and returns its path and number.
func policy(t *testing.T, s *servicetest.Service, line int) (path, number string) {
	t.Helper()
	l := lines[line]
	driver := s.Create("driver", `{"licence":{"expiryDate":"2050-01-01"}}`)
	body := strings.NewReplacer("{object}", s.Create(l.object, l.objectBody), "{driver}", driver).Replace(l.body)
	a := s.Must(http.StatusCreated, http.MethodPost, "/"+l.name, `{"policyholderId":"`+holder+`",`+body+`}`)
	if a.Member("status") != "in force" {
		t.Fatalf("a new %s is %q", l.name, a.Member("status"))
	}
	return "/" + l.name + "/" + a.Member("id"), a.Member("policyNumber")
}

const extension = `{"endorsementType":"policy extension","expiryDate":"2028-01-01T00:00:00Z"}`

// TestEveryStateAndOperation tries every operation in every state of every line. Only the listed transitions succeed.
func TestEveryStateAndOperation(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	into := map[string]func(path, number string){
		"in force":  func(string, string) {},
		"extended":  func(path, _ string) { s.Must(200, "POST", path+":endorse", extension) },
		"cancelled": func(path, _ string) { s.Must(200, "POST", path+":cancel", "") },
		"lapsed":    func(_, number string) { s.Must(204, "POST", "/internal/lapse/"+number, "") },
	}
	// operation -> state -> the state afterwards; a state that is absent refuses the operation.
	listed := map[string]map[string]string{
		"endorse":   {"in force": "in force"},
		"extension": {"in force": "extended"},
		"cancel":    {"in force": "cancelled"},
		"lapse":     {"in force": "lapsed"},
		"renew":     {"in force": "in force", "extended": "extended"},
	}
	for i, l := range lines {
		for state, reach := range into {
			for operation, moves := range listed {
				t.Run(l.name+"/"+state+"/"+operation, func(t *testing.T) {
					path, number := policy(t, s, i)
					reach(path, number)
					to, ok := moves[state]
					want := map[bool]int{true: 200, false: 409}[ok]
					var a servicetest.Response
					switch operation {
					case "endorse":
						a = s.Do("POST", path+":endorse", `{"endorsementType":"addition","note":"x"}`)
					case "extension":
						a = s.Do("POST", path+":endorse", strings.Replace(extension, "2028", "2029", 1))
					case "cancel":
						a = s.Do("POST", path+":cancel", `{"reason":"sold"}`)
					case "lapse":
						a = s.Do("POST", "/internal/lapse/"+number, "")
						want = map[bool]int{true: 204, false: 409}[ok]
					case "renew":
						a = s.Do("POST", path+":renew", "")
						want = map[bool]int{true: 201, false: 409}[ok]
					}
					if l.name == "travelCoverage" {
						switch operation {
						case "renew": // travel has no such operation
							ok, want = false, 404
						case "endorse": // not a listed transition
							ok, want = false, 409
						}
					}
					if a.Status != want {
						t.Fatalf("status %d, want %d: %s", a.Status, want, a.Text)
					}
					if !ok {
						to = state
					}
					if is := s.Must(200, "GET", path, "").Member("status"); is != to {
						t.Errorf("is %s afterwards, want %s", is, to)
					}
				})
			}
		}
	}
}

func TestExtendedGivesWayToInForceByTime(t *testing.T) {
	clock := servicetest.At(t, "2026-12-30T00:00:00Z")
	s := start(t, clock)
	for i := range lines {
		path, _ := policy(t, s, i)
		s.Must(200, "POST", path+":endorse", extension)
		before := s.Must(200, "GET", path, "")
		clock.Pass(48*time.Hour - time.Second)
		if is := s.Must(200, "GET", path, "").Member("status"); is != "extended" {
			t.Errorf("%s is %s a second before the extension term begins", path, is)
		}
		clock.Pass(time.Second)
		after := s.Must(200, "GET", path, "")
		if after.Member("status") != "in force" {
			t.Errorf("%s is %s when the extension term has begun", path, after.Member("status"))
		}
		if before.Header.Get("ETag") == after.Header.Get("ETag") {
			t.Error("the record reads otherwise under the same entity tag")
		}
		if list := s.Must(200, "GET", path[:strings.LastIndex(path, "/")], ""); !strings.Contains(list.Text,
			`"status":"in force"`) {
			t.Error("the list shows another status than the record")
		}
		s.Must(200, "POST", path+":cancel", "")
		clock.Pass(-48 * time.Hour)
	}
}

// TestAnIdIsWanted asks for a policy by its number where an id is wanted. The problem has the list that finds it.
func TestAnIdIsWanted(t *testing.T) {
	s := start(t, nil)
	_, number := policy(t, s, 0)
	for _, path := range []string{"/motorCoverage/" + number, "/motorCoverage/" + number + ":cancel"} {
		method := http.MethodGet
		if strings.HasSuffix(path, ":cancel") {
			method = http.MethodPost
		}
		refused := s.Must(http.StatusNotFound, method, path, "")
		list := refused.Member("list")
		if list != "/motorCoverage?policyNumber="+number || !strings.Contains(refused.Text, "an id, which is a UUID") {
			t.Errorf("%s %s: %s", method, path, refused.Text)
			continue
		}
		if found := s.Must(http.StatusOK, http.MethodGet, list, ""); !strings.Contains(found.Text, number) {
			t.Errorf("%s returns %s", list, found.Text)
		}
	}
	for _, path := range []string{"/motorCoverage/" + holder, "/vehicle/" + number} {
		if refused := s.Must(http.StatusNotFound, http.MethodGet, path, ""); strings.Contains(refused.Text, "list") {
			t.Errorf("%s: %s", path, refused.Text)
		}
	}
}

// TestAFractionIsNoWholeAmount sends 420.50 where the interface has a whole amount, with the unit of amounts and
// without.
func TestAFractionIsNoWholeAmount(t *testing.T) {
	for want, flags := range map[string][]string{
		"must be a whole number; amounts are in minor units here": {"--amount-unit", "minor"},
		"must be a whole number; the operator has not said":       nil,
	} {
		s := start(t, nil, flags...)
		for _, body := range []string{`{"creditLimit":420.50,`, `{"creditLimit":1,"creditLimitUtilized":0.5,`} {
			refused := s.Must(http.StatusBadRequest, http.MethodPost, "/tradeCreditCoverage", body+term+`}`)
			if !strings.Contains(refused.Text, want) {
				t.Errorf("%v: %s", flags, refused.Text)
			}
		}
		refused := s.Must(http.StatusBadRequest, http.MethodPost, "/tradeCreditCoverage", `{"waitingPeriod":1.5}`)
		if strings.Contains(refused.Text, "amounts are") {
			t.Errorf("days are taken for an amount: %s", refused.Text)
		}
	}
}
