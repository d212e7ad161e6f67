package allinone

import (
	"encoding/json"
	"strings"
	"testing"
)

const workbookMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// imported is an import as a response has it.
type imported struct {
	ID, State, Digest string
	Outcomes          map[string]int
	Templates         []struct{ Name, Workbook string }
}

// importedRows are the rows of an import as a response has them.
type importedRows struct {
	Rows []struct {
		Outcome string
		Records []struct{ Name, Resource, ID, PolicyNumber string }
	}
}

func (a answer) into(t *testing.T, value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), value); err != nil {
		t.Fatal(err)
	}
}

func (m *member) imports(path, body string, headers ...string) (is imported) {
	m.t.Helper()
	m.want(200, "POST", path, body, headers...).into(m.t, &is)
	return is
}

// TestTemplatesAreImported fills the workbook of each form in with its example, imports it, and reads what became of
// it. A claim and a receipt name a policy that there is not.
func TestTemplatesAreImported(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	var known imported
	acme.want(200, "GET", "/x/import/template", "").into(t, &known)
	lines := 0
	for _, form := range known.Templates {
		workbook := acme.want(200, "GET", form.Workbook, "", "Accept", "*/*").body
		of := acme.imports("/x/import?profile="+form.Name, workbook, "Content-Type", workbookMedia)
		path := "/x/import/" + of.ID
		if zenith.send("GET", path, "", nil).status != 404 {
			t.Errorf("%s: another organisation sees the import", form.Name)
		}
		if form.Name == "claim" || form.Name == "receipt" {
			if rows := acme.want(200, "GET", path+"/rows?outcome=refused", "").body; !strings.Contains(rows,
				`"pointer":"/policyNumber"`) {
				t.Errorf("%s: %s", form.Name, rows)
			}
			continue
		}
		if of.State != "checked" || of.Outcomes["ready"]+of.Outcomes["there"] != 1 {
			t.Errorf("%s: %+v: %s", form.Name, of, acme.want(200, "GET", path+"/rows", "").body)
			continue
		}
		done := acme.imports(path+":apply", `{"digest":"`+of.Digest+`"}`)
		var all importedRows
		acme.want(200, "GET", path+"/rows", "").into(t, &all)
		rows := all.Rows
		if done.State != "applied" || len(rows) != 1 {
			t.Errorf("%s: %+v, %v", form.Name, done, rows)
			continue
		}
		last := rows[0].Records[len(rows[0].Records)-1]
		record := acme.want(200, "GET", "/"+last.Resource+"/"+last.ID, "").body
		if last.Name == "policy" {
			lines++
			holder := rows[0].Records[0]
			if !strings.Contains(record, `"policyholderId":"`+holder.ID+`"`) ||
				!strings.Contains(record, `"policyNumber":"`+last.PolicyNumber+`"`) {
				t.Errorf("%s: %s of %v", form.Name, record, rows[0].Records)
			}
		}
	}
	if lines != 7 || len(known.Templates) != 13 {
		t.Errorf("%d forms, %d of them of lines", len(known.Templates), lines)
	}
}
