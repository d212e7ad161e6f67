package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// remembers has the page remember the last problem document that it gets.
const remembers = `{ const send = window.fetch; window.refusal = null; window.fetch = async (...given) => {
	const response = await send(...given);
	if (response.status >= 400) window.refusal = await response.clone().json();
	return response;
}; true }`

// misplaced returns what of the last problem document a form does not show where it belongs: the words of each error
// at the field that its pointer or parameter names, and in what the form says those of an error without a field, the
// title and the detail. A form of several records has a group of fields for each.
const misplaced = `((form) => {
	const wrong = [], said = form.querySelector('.outcome').innerText, first = [];
	const has = (where, words) => { if (words && !where?.includes(words)) wrong.push(words + ' is not in ' + where); };
	has(said, refusal.title);
	has(said, refusal.detail);
	for (const { pointer = '', parameter, reason } of refusal.errors ?? []) {
		const [, of, rest] = /^\/(?:operations|participants|limits)\/(\d+)(?:\/body)?(\/.*)$/.exec(pointer)
			?? [, -1, pointer || '/' + parameter];
		const groups = [...form.querySelectorAll(form.dataset.form === 'create' ? ':scope > fieldset.group'
			: '[data-participant], [data-limit]')];
		const field = (groups[Math.max(of, form.dataset.form === 'contract' ? -1 : 0)] ?? form)
			.querySelector('[name="' + rest + '"]');
		const named = form.querySelector('[data-names="' + pointer + '"]');
		if (named) { has(named.querySelector('.said')?.innerText, reason); continue; }
		if (!field) { has(said, reason); continue; }
		has(field.closest('.field').querySelector('.said').innerText, reason);
		if (field.getAttribute('aria-invalid') !== 'true') wrong.push(pointer + ' is not marked');
		if (field.offsetParent === null) wrong.push(pointer + ' is not shown');
		first.push(field);
	}
	if (first.length > 0 && document.activeElement !== first[0]) wrong.push('the focus is not on the first field');
	return { wrong, fields: first.map((field) => field.name) };
})`

// isRefused sends a form, and checks that the refusal of the exchange is shown, at the fields that it names. These are
// at least the wanted ones, in any order.
func (p *tab) isRefused(form string, wanted ...string) {
	p.Helper()
	p.eval(remembers, nil)
	p.send(form)
	p.sees("form[data-form=" + form + "] .outcome [role=alert]")
	var found struct{ Wrong, Fields []string }
	p.eval(misplaced+"(document.querySelector("+quoted("form[data-form="+form+"]")+"))", &found)
	for _, wrong := range found.Wrong {
		p.Errorf("%s: %s", form, wrong)
	}
	for _, field := range wanted {
		if !strings.Contains(" "+strings.Join(found.Fields, " ")+" ", " "+field+" ") {
			p.Errorf("%s: %s is not among the fields with a fault: %q", form, field, found.Fields)
		}
	}
}

// notes has the page note what it asks the exchange to write.
const notes = `{ const send = window.fetch; window.writes = []; window.fetch = (...given) => {
	const { method, url } = new Request(...given);
	if (method !== 'GET') window.writes.push(method + ' ' + url);
	return send(...given);
}; true }`

// lacks sends a form that lacks what is required. The page names all of it at once, marks the fields, of which the
// first has the focus, and sends nothing.
func (p *tab) lacks(form string, fields ...string) {
	p.Helper()
	p.eval(notes, nil)
	p.send(form)
	p.sees("form[data-form="+form+"] .outcome [role=alert]", "Required: ")
	var marked []string
	p.eval("[...document.querySelectorAll("+quoted("form[data-form="+form+"] [aria-invalid=true]")+
		")].map((e) => e.name)", &marked)
	var focused string
	p.eval("document.activeElement.name ?? ''", &focused)
	if !slices.Equal(marked, fields) || focused != fields[0] {
		p.Errorf("%s: marked are %q, want %q; the focus is on %q", form, marked, fields, focused)
	}
	var writes []string
	p.eval("window.writes", &writes)
	if len(writes) > 0 {
		p.Errorf("%s: sent is %q", form, writes)
	}
}

// TestAllThatIsLackingIsNamedAtOnce sends forms with several required fields empty.
func TestAllThatIsLackingIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	receipt := onPolicy(t, "new-receipt")
	receipt.lacks("new-receipt", "/receiptType", "/paymentAmount")
	receipt.sees("form[data-form=new-receipt] .outcome", "Receipt type, Payment amount")
	receipt.fill("new-receipt", "/receiptType", "other")
	receipt.lacks("new-receipt", "/paymentAmount")
	o := onClaim(t, "settle")
	before := o.versions()
	o.lacks("settle", "/paymentAmount")
	if after := o.versions(); after != before {
		t.Errorf("it was written: %d versions, %d before", after, before)
	}
	o.click("[data-action=addDocument]")
	o.lacks("addDocument", "/url")
}

// TestARefusalStandsAtItsField sends each form that writes with something wrong. The words of the problem document are
// shown at the fields that its pointers name, and the first of these has the focus.
func TestARefusalStandsAtItsField(t *testing.T) {
	t.Parallel()
	for form, of := range map[string]struct {
		opens  func(*testing.T, string) opened
		fields map[string]string
		wanted []string
	}{
		"settle": {onClaim, map[string]string{"/paymentAmount": "12 Euro", "/paymentMethod": "cash"},
			[]string{"/paymentAmount"}},
		"revise": {onClaim, map[string]string{"/reserve": "0.5", "/liabilityShare": "many"},
			[]string{"/reserve", "/liabilityShare"}},
		"endorse": {onPolicy, map[string]string{"/grossWrittenPremium": "many", "/indemnityLimitPolicy": "much",
			"/endorsementType": "addition"}, []string{"/grossWrittenPremium", "/indemnityLimitPolicy"}},
		"renew": {onPolicy, map[string]string{"/expiryDate": "2020-01-01T00:00:00"}, []string{"/expiryDate"}},
		"new-claim": {onPolicy, map[string]string{"/lossDate": "2026-03-01T08:30:00",
			"/claimType": "own property damage", "/lossCause": "hail", "/reserve": "x"}, []string{"/reserve"}},
		"new-receipt": {onPolicy, map[string]string{"/receiptType": "new policy", "/paymentAmount": "x",
			"/premiumPaymentMethod": "cash"}, []string{"/paymentAmount"}},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			o := of.opens(t, form)
			o.types(form, of.fields)
			before := o.versions()
			o.isRefused(form, of.wanted...)
			if after := o.versions(); after != before {
				t.Errorf("it was written: %d versions, %d before", after, before)
			}
		})
	}
	for form, opens := range map[string]func(*testing.T, string) opened{"reopen": onClaim, "cancel": onPolicy} {
		t.Run(form, func(t *testing.T) { // no field of them can be wrong
			t.Parallel()
			o := opens(t, form)
			o.c.Post(t, o.history+":"+form, trial.Record{}).Want(t, http.StatusOK)
			o.isRefused(form) // the record has changed
			o.isRefused(form) // it is as it would become
			o.sees("form .outcome", "transition not listed")
		})
	}
	t.Run("create", func(t *testing.T) {
		t.Parallel()
		p := open(t, book, "/create", trial.Developer, trial.Admin)
		p.create("Refused")
		p.types("create", map[string]string{"/dob": "", "/vin": "1", "/grossWrittenPremium": "x"})
		p.lacks("create", "/dob")
		p.fill("create", "/dob", "1990-12-10")
		p.isRefused("create")
		// The policy names the driver whom the form describes.
		p.types("create", map[string]string{"/vin": "WVWZZZ1JZXW000001", "/grossWrittenPremium": "1",
			"/licence/expiryDate": "2020-01-01"})
		p.isRefused("create")
		p.sees("[data-names$='/body/driverId'][data-wrong] .said", "names a driver whose licence has expired")
	})
	t.Run("share", func(t *testing.T) {
		t.Parallel()
		s := shared(t, "Refused")
		p := s.screen(t, s.acme)
		p.click("[data-action=share]")
		p.names(0, "acme", "claims")
		p.click("form[data-form=share] [data-add]")
		p.names(1, "no name", "premium")
		p.isRefused("share", "/organisation", "/rights")
		s.wants(t)
	})
	t.Run("desk", refusedAtTheDesk)
}

// refusedAtTheDesk sends the forms of the sign-off of a month and of what a file is compared with.
func refusedAtTheDesk(t *testing.T) {
	t.Parallel()
	d := reported(t, "Refused")
	d.nameless(t)
	d.rowsAreThere(t)
	p := openAs(t, d.Exchange, d.anna, "/desk/MOTOR-2026/premium/2026-11")
	acts := func(form string, fields map[string]string, wanted ...string) {
		t.Helper()
		p.click("[data-action=" + form + "]")
		p.types(form, fields)
		p.isRefused(form, wanted...)
	}
	lacks := func(form, field string, fields map[string]string) {
		t.Helper()
		p.click("[data-action=" + form + "]")
		p.types(form, fields)
		p.lacks(form, field)
	}
	lacks("prepare", "/type", map[string]string{"/type": ""})
	acts("prepare", map[string]string{"/type": "original", "/note": strings.Repeat("n", 2001)}, "/note")
	v := d.prepare(t, d.clerk, november)
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	acts("approve", nil) // its findings
	lacks("reject", "/reason", nil)
	lacks("waive", "/reason", nil)
	acts("reject", map[string]string{"/reason": strings.Repeat("r", 2001)}, "/reason")
	for _, one := range d.read(t, november+"/versions/1/findings", "findings") {
		if one["severity"] == "error" {
			d.anna.Post(t, november+"/versions/1/findings/"+one.Text("id")+":waive", trial.Record{"reason": "known"}).
				Want(t, http.StatusOK)
		}
	}
	acts("approve", nil) // the person who has waived them
	berta, err := d.Client("berta", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	berta.Post(t, november+"/versions/1:approve", trial.Record{"digest": v.Text("digest")}).Want(t, http.StatusOK)
	acts("reject", map[string]string{"/reason": "late"}) // it is approved
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	p.turn(d.compared(t))
	for _, form := range []string{"accept", "dispute", "unmatch"} {
		lacks(form, "/reason", nil)
	}
	p.turn("/reconciliation")
	p.click("[data-part=statements] tbody a")
	p.click("[data-action=compare]")
	p.types("run", map[string]string{"/against/contract": "MOTOR-2026", "/tolerance": "x"})
	p.isRefused("run", "/tolerance")
}
