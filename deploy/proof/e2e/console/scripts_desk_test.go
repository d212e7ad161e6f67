package console

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// scripted returns the scripts, and the same as two texts that are short enough for a note or a reason.
func scripted(t *testing.T) (all []string, halves [2]string) {
	t.Helper()
	all = slices.Concat(scripts...)
	if len(all) < 60 {
		t.Fatalf("there are %d scripts", len(all))
	}
	middle := len(all) / 2
	return all, [2]string{strings.Join(all[:middle], between), strings.Join(all[middle:], between)}
}

// TestStoredScriptsOfContracts stores each script in each text of a contract, and sees it as the text it is.
func TestStoredScriptsOfContracts(t *testing.T) {
	t.Parallel()
	all, _ := scripted(t)
	d := reported(t, "Scripts")
	p := open(t, d.Exchange, "/desk", trial.Developer, trial.Admin)
	texts := []string{"uniqueMarketReference", "agreementNumber", "section", "treatyReference", "coverholderName",
		"administratorName", "counterparty", "classOfBusiness", "riskCode", "typeOfInsurance"}
	for n := range all {
		turn := func(i int) string { return all[(n+i)%len(all)] }
		contract := terms.With("inception", "1901-01-01").With("expiry", "1901-01-02").
			With("lines", []string{"petCoverage"})
		var added []string
		for i, member := range texts {
			contract = contract.With(member, turn(i))
			added = append(added, turn(i))
		}
		limit := turn(len(texts))
		contract = contract.With("limits", []trial.Record{{"name": limit, "amount": 1, "currency": "EUR"}})
		d.clerk.Put(t, "/x/contract/SCRIPTS", contract).Want(t, http.StatusOK)
		p.turn(fmt.Sprintf("/desk/SCRIPTS?%d", n))
		p.becomes("document.querySelector('[data-part=contract]')?.textContent.includes('" + fmt.Sprint(n+1) + "')")
		p.shows("contract", append(added, limit)...)
	}
	for _, text := range all {
		for _, screen := range []string{"/desk/%s", "/desk/MOTOR-2026/%s/2026-11", "/desk/MOTOR-2026/premium/%s",
			"/desk/MOTOR-2026/premium/2026-11/%s", "/reconciliation/statement/%s", "/reconciliation/run/%s"} {
			p.turn(strings.ReplaceAll(screen, "%s", url.PathEscape(text)))
			p.harmless(screen + " " + text)
		}
	}
}

// TestStoredScriptsOfTheDesk stores each script in the note of a version, in the reasons of a rejection and of a
// waiver, and in what is added to a claim.
func TestStoredScriptsOfTheDesk(t *testing.T) {
	t.Parallel()
	all, halves := scripted(t)
	d := reported(t, "Scripts")
	d.nameless(t)
	const period = "/desk/MOTOR-2026/premium/2026-11"
	p := open(t, d.Exchange, "/desk", trial.Developer, trial.Admin)
	for i, note := range halves {
		reason := halves[1-i]
		version := fmt.Sprintf("%s/versions/%d", november, i+1)
		wait.Until(t, func() error {
			made := d.clerk.Post(t, november+":prepare", trial.Record{"type": "original", "note": note})
			if made.Status != http.StatusCreated {
				return fmt.Errorf("not yet: %s", made.Body)
			}
			return nil
		})
		found := d.clerk.Read(t, version+"/findings")["findings"].([]any)
		for j, one := range found {
			id := one.(map[string]any)["id"]
			d.clerk.Post(t, fmt.Sprintf("%s/findings/%s:waive", version, id), trial.Record{"reason": halves[j%2]}).
				Want(t, http.StatusOK)
		}
		if len(found) != len(halves) {
			t.Fatalf("there are %d findings", len(found))
		}
		p.turn(fmt.Sprintf("%s/%d", period, i+1))
		p.shows("a version", note, halves[0], halves[1])
		d.clerk.Post(t, version+":reject", trial.Record{"reason": reason}).Want(t, http.StatusOK)
		p.turn(period)
		p.shows("a period", reason)
	}
	d.supplements(t, p, all)
}

// supplements adds scripts to claims, reports them, and adds others: both are shown as what differs.
func (d office) supplements(t *testing.T, p *tab, all []string) {
	t.Helper()
	ids := []string{}
	for range all {
		ids = append(ids, loss(t, d.clerk, d.policy).Text("id"))
	}
	claimants := func(shift int) {
		for i, id := range ids {
			d.clerk.Put(t, "/x/supplement/claim/"+id, trial.Record{"claimantName": all[(i+shift)%len(all)]}).
				Want(t, http.StatusOK)
		}
	}
	claimants(0)
	d.nothing(t)
	d.advance(t, "2027-01-05T09:00:00Z")
	d.prepare(t, d.clerk, "/x/bordereau/MOTOR-2026/claims/2026-12")
	claimants(1)
	p.turn("/desk/MOTOR-2026/claims/2026-12/1")
	p.sees("[data-part=differences] tbody")
	p.shows("what was added to claims", all...)
}

// TestStoredScriptsOfFiles stores each script as the name of a column, in each cell of a file, and in the reason of a
// decision.
func TestStoredScriptsOfFiles(t *testing.T) {
	t.Parallel()
	all, halves := scripted(t)
	d := reported(t, "Scripts")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	means := []string{"policyNumber", "type", "date", "gross"}
	types := trial.Record{"NB": "new policy"}
	for _, text := range all {
		types[text] = "new policy"
	}
	var columns []string
	for n := 0; n < len(all); n += len(means) {
		columns = nil
		named := []trial.Record{}
		for i, of := range means {
			columns = append(columns, all[(n+i)%len(all)])
			named = append(named, trial.Record{"column": columns[i], "means": of})
		}
		d.clerk.Put(t, fmt.Sprintf("/x/reconciliation/profile/S%02d", n), trial.Record{
			"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 1, "decimalMark": ",",
			"dateOrder": "dmy", "sign": "minus", "currency": "EUR", "totals": trial.Record{"rule": "none"},
			"types": types, "columns": named,
		}).Want(t, http.StatusOK)
	}
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	p.sees("[data-part=profiles] tbody")
	p.shows("profiles", all...)

	var file bytes.Buffer
	rows := csv.NewWriter(&file)
	rows.Comma = ';'
	lines := [][]string{columns}
	for _, text := range all {
		lines = append(lines, []string{text, "NB", "05/11/2026", "1,00"}, []string{"P", "x" + text, text, text})
	}
	if err := rows.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	p.eval("document.getElementById('profile').value = "+quoted(fmt.Sprintf("S%02d", len(all)-len(means))), nil)
	p.upload(t, file.String())
	p.sees(".lead", fmt.Sprintf("%d rows were read", 2*len(all)))
	p.click("[data-action=compare]")
	p.fill("run", "/against/contract", "MOTOR-2026")
	p.fill("run", "/against/period", "2026-11")
	p.send("run")
	p.sees("[data-part=items] tbody", "quarantined")
	for i, reason := range halves {
		p.click("[data-part=items] [data-action=dispute]")
		p.fill("dispute", "/reason", reason)
		p.send("dispute")
		p.becomes(fmt.Sprintf("document.querySelectorAll('[data-part=items] [data-state=disputed]').length === %d",
			i+1))
		p.shows("a decision", reason)
	}
	const more = "document.querySelector('[data-part=items] .more:not([hidden])')"
	p.eval("window.more = setInterval(() => "+more+"?.click(), 50)", nil)
	p.becomes(fmt.Sprintf("document.querySelectorAll('[data-part=items] > div tr[data-row]').length >= %d", 2*len(all)))
	p.eval("clearInterval(more)", nil)
	for _, text := range all {
		// An apostrophe before what would be a formula is no part of the cell.
		p.shows("a number", strings.TrimPrefix(text, "'"))
		p.becomes("[...document.querySelectorAll('.beside [data-side=theirs]')].some((e) => e.textContent === " +
			quoted("x"+text) + ")")
	}
	p.becomes(fmt.Sprintf("document.querySelectorAll('.beside [data-side=theirs]').length >= %d", 3*len(all)))
}

// TestStoredScriptsOfImports imports each script as a name, and as a day that cannot be read.
func TestStoredScriptsOfImports(t *testing.T) {
	t.Parallel()
	all, _ := scripted(t)
	e := run(t)
	var file bytes.Buffer
	rows := csv.NewWriter(&file)
	lines := [][]string{{"firstName", "lastName", "dob", "idType", "idNumber", "address.city"}}
	for i, text := range all {
		lines = append(lines, []string{"x" + text, text, "1990-01-01", "passport", fmt.Sprint("SCRIPT-", i), text},
			[]string{"x", "x", "x" + text, "passport", fmt.Sprint("WRONG-", i), "x"})
	}
	if err := rows.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	c := client(t, e)
	sent := c.Post(t, "/x/import?resource=personal&batch="+url.QueryEscape(all[1]), file.Bytes(),
		"Content-Type", "text/csv").Want(t, http.StatusOK).Record(t)
	p := openAs(t, e, c, "/import")
	p.sees("[data-part=imports] tbody", all[1])
	p.harmless("imports")
	p.click("[data-part=imports] tbody a")
	p.sees("[data-part=rows] tbody")
	const more = "document.querySelector('[data-part=rows] .more:not([hidden])')"
	p.eval("window.more = setInterval(() => "+more+"?.click(), 50)", nil)
	p.becomes(fmt.Sprintf("document.querySelectorAll('[data-part=rows] tr[data-row]').length >= %d", len(all)))
	for _, text := range all {
		p.becomes("[...document.querySelectorAll('[data-part=rows] del')].some((e) => e.textContent === " +
			quoted("x"+text) + ")")
	}
	p.harmless("cells that cannot be read")
	p.turn("/import/" + sent.Text("id") + "?outcome=ready")
	p.sees("[data-part=rows] tbody .sent")
	p.becomes(fmt.Sprintf("document.querySelectorAll('[data-part=rows] tr[data-row]').length === %d", len(all)))
	p.eval("clearInterval(more); document.querySelectorAll('.sent').forEach((e) => { e.open = true; })", nil)
	p.shows("cells as they were sent", all...)
	for _, text := range all {
		for _, screen := range []string{"/import/%s", "/import/profile/%s", "/import/profile?as=%s",
			"/import/" + sent.Text("id") + "?outcome=%s"} {
			p.turn(strings.ReplaceAll(screen, "%s", url.QueryEscape(text)))
			p.harmless(screen + " " + text)
		}
	}
}
