package rest_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
)

// ownName is the name that callers give to a record.
type ownName struct {
	text string
	is   bool
	sent json.RawMessage
}

func (n ownName) Value() (string, bool) { return n.text, n.is }
func (n ownName) IsZero() bool          { return n.sent == nil }
func (n *ownName) Forget()              { n.text, n.is = "", false }

func (n ownName) MarshalJSON() ([]byte, error) { return n.sent, nil }

func (n *ownName) UnmarshalJSON(b []byte) error {
	*n = ownName{}
	if !bytes.Equal(b, []byte("null")) {
		n.sent = bytes.Clone(b)
		n.is = json.Unmarshal(b, &n.text) == nil
	}
	return nil
}

// listed returns the ids of the parcels that a list by a name has.
func (w *world) listed(name string) []string {
	w.t.Helper()
	return idsOf(w.t, w.do(200, "GET", "/parcel?externalReference="+url.QueryEscape(name), "").Body.Bytes())
}

func idsOf(t testing.TB, list []byte) []string {
	t.Helper()
	var all []struct{ ID string }
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return ids
}

// TestARecordHasTheNameThatCallersGiveIt gives names to parcels: each is the name of one, and finds it.
func TestARecordHasTheNameThatCallersGiveIt(t *testing.T) {
	w := start(t, nil)
	first := w.parcel(`"externalReference":"Caf\u00e9 1"`)
	id := strings.TrimPrefix(first, "/parcel/")
	finds := func(name string, ids ...string) {
		t.Helper()
		if got := w.listed(name); strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Errorf("%q finds %v, want %v", name, got, ids)
		}
	}
	taken := func(name string) {
		t.Helper()
		r := w.do(409, "POST", "/parcel", w.body(`"externalReference":"`+name+`"`))
		w.wants(r, problem.ReferenceTaken, "/externalReference")
		if r.text("existingId") != id {
			t.Errorf("it names %q, want %s", r.text("existingId"), id)
		}
	}
	finds("Caf\u00e9 1", id)
	finds("Cafe\u0301 1", id)
	finds("caf\u00e9 1")
	taken("Caf\u00e9 1")
	taken("Cafe\u0301 1")
	checked := w.do(200, "POST", "/x/parcel/check", w.body(`"externalReference":"Caf\u00e9 1"`))
	if checked.body["admissible"] != false || !strings.Contains(checked.Body.String(), "external-reference-taken") {
		t.Errorf("the dry run says %s", checked.Body)
	}
	w.parcel(`"externalReference":"caf\u00e9 1"`)
	w.do(201, "POST", "/depot", `{"externalReference":"Caf\u00e9 1"}`) // another resource has names of its own

	if left := w.do(200, "PUT", first, w.body("")); left.text("externalReference") != "Caf\u00e9 1" {
		t.Errorf("a replacement without a name leaves %v", left.body)
	}
	w.do(200, "POST", first+":amend", `{"weight":7}`)
	taken("Caf\u00e9 1")
	w.do(200, "PUT", first, w.body(`"externalReference":"second"`))
	finds("second", id)
	finds("Caf\u00e9 1")
	w.do(200, "POST", first+":amend", `{"externalReference":"third"}`)
	taken("third")
	other := w.parcel(`"externalReference":"Caf\u00e9 1"`)
	w.wants(w.do(409, "PUT", other, w.body(`"externalReference":"third"`)), problem.ReferenceTaken,
		"/externalReference")
	w.wants(w.do(409, "POST", other+":amend", `{"externalReference":"third"}`), problem.ReferenceTaken,
		"/externalReference")
	finds("Caf\u00e9 1", strings.TrimPrefix(other, "/parcel/"))

	w.do(200, "POST", first+":deliver", `{"signature":"A","tip":1}`)
	again := w.do(201, "POST", first+":return", "{}")
	if _, has := again.body["externalReference"]; has {
		t.Errorf("the parcel that was made of another has its name: %v", again.body)
	}
}

// TestANameIsGivenOnce sends one creation eight times at once, with one key and with eight.
func TestANameIsGivenOnce(t *testing.T) {
	w := start(t, nil)
	body := w.body(`"externalReference":"once"`)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			key := "one"
			if i%2 == 1 {
				key = "another" + string(rune('0'+i))
			}
			r := w.send("POST", "/parcel", body, "Idempotency-Key", key)
			taken := r.text("type") == problem.URI(problem.ReferenceTaken)
			if r.Code != 201 && r.Code != 200 && !taken {
				t.Errorf("status %d: %s", r.Code, r.Body)
			}
		})
	}
	all.Wait()
	if ids := w.listed("once"); len(ids) != 1 {
		t.Errorf("the parcels with the name are %v", ids)
	}
}

// TestWhatIsNoName refuses names that people could not tell apart, and writes nothing.
func TestWhatIsNoName(t *testing.T) {
	w := start(t, nil)
	for _, name := range []string{`""`, `" a"`, `"a "`, `"a  b"`, `"a\u00a0b"`, `"a\tb"`, `"a\u200bb"`, `"\u202ea"`,
		`"` + strings.Repeat("x", 101) + `"`, `12`, `["a"]`, `{}`} {
		r := w.do(400, "POST", "/parcel", w.body(`"externalReference":`+name))
		w.wants(r, problem.Invalid, "/externalReference")
	}
	if all := idsOf(t, w.do(200, "GET", "/parcel", "").Body.Bytes()); len(all) != 0 {
		t.Errorf("there are %v", all)
	}
	for _, name := range []string{"a b", "ref:a", "a/b?c=d&e#%", strings.Repeat("é", 100), "契約 1"} {
		w.parcel(`"externalReference":"` + name + `"`)
		if got := w.listed(name); len(got) != 1 {
			t.Errorf("%q finds %v", name, got)
		}
	}
	if null := w.do(201, "POST", "/parcel", w.body(`"externalReference":null`)); null.body["externalReference"] != nil {
		t.Errorf("null is a name: %v", null.body)
	}
}

// TestABodyNamesARecordByItsName names the depot of a parcel by the name of the depot.
func TestABodyNamesARecordByItsName(t *testing.T) {
	w := start(t, nil)
	ghent := w.do(201, "POST", "/depot", `{"town":"Ghent","externalReference":"G/1 a"}`).text("id")
	w.do(201, "POST", "/depot", `{"town":"Nowhere","externalReference":"N"}`)
	body := func(depot string) string { return `{"depotId":"` + depot + `","weight":5,"contents":"books"}` }
	made := w.do(201, "POST", "/parcel", body("ref:G/1 a"))
	if made.text("depot") != ghent {
		t.Errorf("the depot is %q, want %s", made.text("depot"), ghent)
	}
	path := "/parcel/" + made.text("id")
	w.wants(w.do(404, "POST", "/parcel", body("ref:none")), unknownDepot, "/depotId")
	w.wants(w.do(404, "POST", "/parcel", body("ref:")), unknownDepot, "/depotId")
	w.wants(w.do(409, "POST", "/parcel", body("ref:N")), closedDepot, "/depotId")
	w.wants(w.do(404, "PUT", path, body("ref:none")), unknownDepot, "/depotId")
	w.do(200, "PUT", path, body("ref:G/1 a"))
	amended := w.do(200, "POST", path+":amend", `{"depot":"ref:G/1 a"}`)
	if amended.text("depot") != ghent {
		t.Errorf("the depot of an amendment is %q, want %s", amended.text("depot"), ghent)
	}
	checked := w.do(200, "POST", "/x/parcel/check", body("ref:G/1 a"))
	if checked.body["admissible"] != true {
		t.Errorf("the dry run says %s", checked.Body)
	}
}

// TestWhatHasTheNameFromBefore changes a parcel that has something under the name of the member from before callers
// could give names: it stays as it was, and is the name of nothing.
func TestWhatHasTheNameFromBefore(t *testing.T) {
	for _, was := range []string{`"R-1"`, `12`, `{"a":[1]}`} {
		w := start(t, nil)
		path := w.parcel("")
		who, parcels := organisation.Sole(), w.parcels.Stored()
		doc, err := parcels.Get(t.Context(), who, uuid.MustParse(strings.TrimPrefix(path, "/parcel/")))
		if err != nil {
			t.Fatal(err)
		}
		doc.Body = []byte(strings.Replace(string(doc.Body), "{", `{"externalReference":`+was+",", 1))
		doc.Digest = docstore.NewDigest(doc.Version+1, doc.Body, doc.State, doc.Digest)
		if err := parcels.Replace(t.Context(), who, doc, nil); err != nil {
			t.Fatal(err)
		}
		stays := func(r reply) {
			t.Helper()
			if !strings.Contains(r.Body.String(), `"externalReference":`+was) {
				t.Errorf("it became %s, was %s", r.Body, was)
			}
			if got := w.listed("R-1"); len(got) != 0 {
				t.Errorf("the name finds %v", got)
			}
		}
		stays(w.do(200, "PUT", path, w.body("")))
		stays(w.do(200, "PUT", path, w.body(`"externalReference":`+was)))
		stays(w.do(200, "POST", path+":amend", `{"weight":8}`))
		stays(w.do(200, "POST", path+"/scan", ""))
		other := w.parcel(`"externalReference":"R-1"`)
		if got := w.listed("R-1"); len(got) != 1 || "/parcel/"+got[0] != other {
			t.Errorf("the name finds %v, want %s", got, other)
		}
		w.do(200, "PUT", path, w.body(`"externalReference":"R-2"`))
		if got := w.listed("R-2"); len(got) != 1 || "/parcel/"+got[0] != path {
			t.Errorf("the new name finds %v, want %s", got, path)
		}
	}
}
