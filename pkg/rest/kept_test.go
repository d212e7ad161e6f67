package rest_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// TestWhatIsKeptWithARecordStays changes a record with which effective dates, a reference and what a service keeps are
// stored: they stay, and the record is found by the reference.
func TestWhatIsKeptWithARecordStays(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	who, id := organisation.Sole(), uuid.MustParse(strings.TrimPrefix(path, "/parcel/"))
	parcels := w.parcels.Stored()
	doc, err := parcels.Get(t.Context(), who, id)
	if err != nil {
		t.Fatal(err)
	}
	kept := []string{
		`"pinned":{"externalReference":"parcel/R-1"}`, `"aside":{"anchor":31}`,
		`"effect":{"number":7,"date":"2026-02-01T00:00:00Z"}`, `"coverEnds":"2026-05-01T00:00:00Z"`,
	}
	state := strings.Replace(string(doc.State), `"history":{`, kept[0]+","+kept[1]+`,"history":{`+kept[2]+","+kept[3]+",", 1)
	former := docstore.Former{
		Version: doc.Version, Body: doc.Body, State: doc.State, Digest: doc.Digest.Of(doc.Version),
	}
	doc.State = []byte(state)
	doc.Digest = docstore.NewDigest(doc.Version+1, doc.Body, doc.State, doc.Digest)
	if err := parcels.Replace(t.Context(), who, doc, &former); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"an action":       func() { w.do(200, "POST", path+"/scan", "") },
		"a replacement":   func() { w.do(200, "PUT", path, w.body(`"note":"new"`)) },
		"an alteration":   func() { w.alter(path, func(p *parcel) { p.Scans = append(p.Scans, "altered") }) },
		"a further state": func() { w.do(200, "POST", path+":hold", "") },
	} {
		change()
		by := docstore.Query{Equal: docstore.Keys{"externalReference": "parcel/R-1"}, Limit: 2, WithState: true}
		all, err := parcels.Find(t.Context(), who, by)
		if err != nil || len(all) != 1 || all[0].ID != id {
			t.Fatalf("after %s the reference finds %v, %v", name, all, err)
		}
		for _, text := range kept {
			if !strings.Contains(string(all[0].State), text) {
				t.Errorf("after %s the state is %s, without %s", name, all[0].State, text)
			}
		}
	}
}
