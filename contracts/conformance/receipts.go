package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"time"
)

// receiptRules are the rules about receipts, refunds, and the bordereau into which receipts are aggregated.
func receiptRules() []Rule {
	return []Rule{
		{Name: "POST /receipt returns the receiptId", try: func(p *probe) {
			got := p.create("receipt", p.body("receipt", 0))
			p.holds(got, record{"receiptId": got["id"]})
		}},
		{Name: "POST /receipt: reverses is issued by :refund alone", slow: true, try: func(p *probe) {
			policy := p.aggregating()
			body := p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "receiptType", "other")
			first := p.create("receipt", body.with("paymentAmount", 5))
			p.create("receipt", body.with("paymentAmount", 6, "reverses", first["id"]))
			p.sums(policy, map[string]int{"other": 11})
		}},
		{Name: "sums are exact beyond 64 bits", slow: true, try: func(p *probe) {
			policy := p.aggregating()
			for range 2 {
				p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "receiptType",
					"other", "paymentAmount", json.Number("9223372036854775807")))
			}
			p.eventually(func() error {
				rows, err := p.rows(policy)
				if err == nil && rows[0].text("grossWrittenPremium") != "18446744073709551614" {
					err = fmt.Errorf("grossWrittenPremium is %s", rows[0].text("grossWrittenPremium"))
				}
				return err
			})
		}},
		{Name: "what is unusual about a receipt is a warning, and no refusal", try: func(p *probe) {
			policy := p.policy("motorCoverage", 265)
			usual := p.body("receipt", 0).with("policyNumber", policy["policyNumber"])
			dated := func(days int) record {
				return usual.with("receiptDate", p.day(days).Format(time.DateOnly))
			}
			p.warns("", "/receipt", dated(-5))
			p.warns("possible-duplicate", "/receipt", dated(-5))
			p.warns("receipt-date", "/receipt", dated(-470))
			p.warns("receipt-date", "/receipt", dated(3))
		}},
		{Name: "effectiveDate of a receipt is a day (400)", try: func(p *probe) {
			day := p.day(-40).Format(time.DateOnly)
			p.holds(p.create("receipt", p.body("receipt", 0).with("effectiveDate", day)), record{"effectiveDate": day})
			for _, wrong := range []any{"2026-02-30", p.instant(-40), 7} {
				p.pointsToDate(p.refused(http.StatusBadRequest, "",
					p.post("/receipt", p.body("receipt", 0).with("effectiveDate", wrong))))
			}
		}},
		{Name: "a receipt may name a claim alone", try: func(p *probe) {
			number := p.claim()["claimNumber"]
			p.holds(p.create("receipt", p.body("receipt", 0).without("policyNumber").with("claimNumber", number)),
				record{"claimNumber": number})
		}},
		{Name: "policyNumber and claimNumber must belong together (400)", try: func(p *probe) {
			claim, policy := p.claim(), p.policy("motorCoverage", 265)
			body := p.body("receipt", 0).with("claimNumber", claim["claimNumber"])
			p.create("receipt", body)
			p.refused(http.StatusBadRequest, "", p.post("/receipt", body.with("policyNumber", policy["policyNumber"])))
		}},
		{Name: "a receipt may name a policy of every line", try: func(p *probe) {
			for _, line := range policyLines {
				p.create("receipt", p.body("receipt", 0).with("policyNumber", p.one(line)["policyNumber"]))
			}
		}},
		{Name: "receiptDate is today where it is not sent", try: func(p *probe) {
			got := p.create("receipt", p.body("receipt", 0).without("receiptDate"))
			today, tomorrow := p.day(0).In(p.zone).Format(time.DateOnly), p.day(1).In(p.zone).Format(time.DateOnly)
			if day := got.text("receiptDate"); day != today && day != tomorrow {
				p.fail("receiptDate is %q, not %s", day, today)
			}
		}},
		{Name: "PUT of the same content returns the receipt, of another is 409", try: immutableReceipt},
		{Name: ":refund writes a reversing receipt and leaves the original as it was", try: refunds},
		{Name: "a second :refund is 409", try: func(p *probe) {
			path := "/receipt/" + p.create("receipt", p.body("receipt", 0)).text("id")
			p.action(http.StatusCreated, path+":refund", refund)
			p.refused(http.StatusConflict, "", p.post(path+":refund", refund))
		}},
		{Name: ":refund with a paymentAmount gives back a part, and without one all that is left", try: partRefunds},
		{Name: ":refund of less than 1 or of more than the receipt is 400", try: func(p *probe) {
			path := p.refundOf(10)
			for _, amount := range []any{0, -1, 11, 1.5, "1"} {
				p.refused(http.StatusBadRequest, "", p.post(path, refund.with("paymentAmount", amount)))
			}
			p.action(http.StatusCreated, path, refund.with("paymentAmount", 10))
		}},
		{Name: ":refund of more than is left is 409 and says how much is", try: func(p *probe) {
			path := p.refundOf(10)
			p.action(http.StatusCreated, path, refund.with("paymentAmount", 7))
			above := p.refused(http.StatusConflict, "", p.post(path, refund.with("paymentAmount", 4)))
			p.holds(above, record{"left": 3})
			p.action(http.StatusCreated, path, refund.with("paymentAmount", 3))
			p.refused(http.StatusConflict, "", p.post(path, refund.with("paymentAmount", 1)))
		}},
		{Name: "refunds at once give back no more than the receipt", try: refundsAtOnce},
		{Name: "GET /x/policy/{policyNumber} shows what is left of each receipt", try: leftInView},
		{Name: "the rows of a policy count the parts that were given back", slow: true, try: func(p *probe) {
			policy := p.aggregating()
			got := p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"],
				"receiptType", "new policy", "paymentAmount", 100))
			for _, amount := range []int{30, 25} {
				path := "/receipt/" + got.text("id") + ":refund"
				p.action(http.StatusCreated, path, refund.with("paymentAmount", amount))
			}
			p.sums(policy, map[string]int{"new policy": 45})
		}},
		{Name: ":refund of a reversing receipt is 409", try: func(p *probe) {
			path := "/receipt/" + p.create("receipt", p.body("receipt", 0)).text("id")
			reversing := p.action(http.StatusCreated, path+":refund", refund)
			p.refused(http.StatusConflict, "", p.post("/receipt/"+reversing.text("id")+":refund", refund))
		}},
		{Name: ":refund with a receiptType that is in no set is 400", try: func(p *probe) {
			path := "/receipt/" + p.create("receipt", p.body("receipt", 0)).text("id")
			p.refused(http.StatusBadRequest, "", p.post(path+":refund", record{"receiptType": unknownValue}))
		}},
		{Name: "receipts of a policy and a type add up to one row of the premium bordereau, less refunds", slow: true,
			try: aggregated},
		{Name: "a receipt that names a claim counts under the claim's policyNumber", slow: true, try: func(p *probe) {
			policy := p.aggregating()
			claim := p.create("claim", p.loss("motorCoverage", policy, -2))
			p.create("receipt", p.body("receipt", 0).without("policyNumber").with("claimNumber", claim["claimNumber"],
				"receiptType", "claim payment", "paymentAmount", 17))
			p.sums(policy, map[string]int{"claim payment": 17})
		}},
		{Name: "a row counts in the period current when the receipt is recorded, whatever its receiptDate", slow: true,
			try: func(p *probe) {
				policy := p.aggregating()
				for i, day := range []string{"2001-01-31", p.instant(0)[:10]} {
					p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "receiptDate",
						day, "receiptType", "other", "paymentAmount", 10+i))
				}
				p.sums(policy, map[string]int{"other": 21})
			}},
		{Name: "a receipt says in which row it counts, and the row is found by it", slow: true, try: func(p *probe) {
			policy := p.aggregating()
			got := p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"],
				"receiptType", "other", "paymentAmount", 23))
			if got.text("recordedAt") == "" || got.text("period") == "" {
				p.fail("the receipt says neither when it was recorded nor its period: %v", got)
			}
			p.sums(policy, map[string]int{"other": 23})
			all := p.along("/premiumBordereau?period=" + got.text("period") + "&policyNumber=" +
				policy.text("policyNumber"))
			if len(all) != 1 || all[0].text("policyNumber") != policy.text("policyNumber") {
				p.fail("the row of its period and policy is not found alone: %v", all)
			}
		}},
		{Name: "PUT may change what the aggregation does not own of a row, and nothing else (409)", slow: true,
			try: ownedByAggregation},
	}
}

// refund is a body of :refund.
var refund = record{"receiptType": "other"}

func immutableReceipt(p *probe) {
	sent := p.body("receipt", 0)
	got := p.create("receipt", sent)
	path := "/receipt/" + got.text("id")
	was := p.read(path)
	for _, same := range []record{sent, was} {
		p.holds(p.wants(http.StatusOK, p.put(path, same)), was)
	}
	for member, value := range map[string]any{"paymentAmount": 99, "receiptType": "other",
		"receiptDate": "2001-02-03", "x-more": 1} {
		p.refused(http.StatusConflict, "", p.put(path, sent.with(member, value)))
	}
	p.unchanged(path, was)
}

func refunds(p *probe) {
	got := p.create("receipt", p.body("receipt", 0))
	path := "/receipt/" + got.text("id")
	was := p.read(path)
	reversing := p.action(http.StatusCreated, path+":refund", refund)
	p.holds(reversing, record{"reverses": got["id"], "paymentAmount": got["paymentAmount"],
		"policyNumber": got["policyNumber"], "receiptType": "other"})
	if reversing["id"] == got["id"] {
		p.fail("the reversing receipt has the id of the original")
	}
	p.unchanged(path, was)
	p.holds(p.read("/receipt/"+reversing.text("id")), record{"reverses": got["id"]})
}

// refundOf records a receipt of an amount, and returns the path of its refund.
func (p *probe) refundOf(amount int) string {
	got := p.create("receipt", p.body("receipt", 0).with("paymentAmount", amount))
	return "/receipt/" + got.text("id") + ":refund"
}

func partRefunds(p *probe) {
	got := p.create("receipt", p.body("receipt", 0).with("paymentAmount", 100))
	path := "/receipt/" + got.text("id")
	was := p.read(path)
	for i, part := range []struct {
		body        record
		amount, sum int
	}{{refund.with("paymentAmount", 30), 30, 30}, {refund.with("paymentAmount", 1), 1, 31}, {refund, 69, 100}} {
		p.holds(p.action(http.StatusCreated, path+":refund", part.body), record{"reverses": got["id"],
			"paymentAmount": part.amount, "refundNumber": i + 1, "refundedAmount": part.sum, "receiptType": "other"})
		p.unchanged(path, was)
	}
	p.refused(http.StatusConflict, "", p.post(path+":refund", refund))
}

// refundsAtOnce has eight callers refund 30 of a receipt of 100: three of them can.
func refundsAtOnce(p *probe) {
	path := p.refundOf(100)
	var made atomic.Int64
	p.each(8, func(int) error {
		a, err := p.send(http.MethodPost, path, refund.with("paymentAmount", 30))
		switch {
		case err != nil:
			return err
		case a.status == http.StatusCreated:
			made.Add(1)
		case a.status != http.StatusConflict:
			return fmt.Errorf("a refund is answered with %d", a.status)
		}
		return nil
	})
	if n := made.Load(); n != 3 {
		p.fail("%d refunds of 30 were made of a receipt of 100", n)
	}
	p.holds(p.action(http.StatusCreated, path, refund), record{"paymentAmount": 10, "refundedAmount": 100})
}

// leftInView refunds a part of a receipt: the view says what is left of it.
func leftInView(p *probe) {
	policy := p.policy("motorCoverage", 265)
	got := p.create("receipt", p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "paymentAmount", 10))
	refunded := p.action(http.StatusCreated, "/receipt/"+got.text("id")+":refund", refund.with("paymentAmount", 4))
	a := p.get("/x/policy/" + policy.text("policyNumber") + "?part=receipts")
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no view of a policy")
	}
	shown, _ := p.wants(http.StatusOK, a)["receipts"].(map[string]any)
	left := map[string]any{}
	for _, one := range record(shown).list("records") {
		entry, _ := one.(map[string]any)
		inner, _ := entry["record"].(map[string]any)
		left[record(inner).text("id")] = entry["left"]
	}
	if want := map[string]any{got.text("id"): json.Number("6"), refunded.text("id"): nil}; !maps.Equal(left, want) {
		p.fail("of the receipts is left %v, not %v", left, want)
	}
}

// aggregating creates a policy for a rule about the aggregation, or skips the rule if the implementation does not
// aggregate.
func (p *probe) aggregating() record {
	if p.NoAggregation {
		p.skip("the implementation is said to be configured not to aggregate")
	}
	return p.policy("motorCoverage", 265)
}

// rows returns the rows that the aggregation has created for a policy.
func (p *probe) rows(policy record) ([]record, error) {
	const near = 1000
	var rows []record
	for _, r := range p.since("/premiumBordereau", max(0, p.length("/premiumBordereau")-near)) {
		if r["policyNumber"] == policy["policyNumber"] && r.text("period") != "" {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("the premium bordereau has no row for policy %s", policy.text("policyNumber"))
	}
	return rows, nil
}

// sums waits until the rows of a policy have the wanted sums, by transactionType, and returns the rows.
func (p *probe) sums(policy record, want map[string]int) []record {
	var rows []record
	p.eventually(func() (err error) {
		if rows, err = p.rows(policy); err != nil {
			return err
		}
		got := map[string]int{}
		periods := map[string]bool{}
		for _, r := range rows {
			var sum int
			if _, err := fmt.Sscan(r.text("grossWrittenPremium"), &sum); err != nil {
				return fmt.Errorf("grossWrittenPremium is %q", r.text("grossWrittenPremium"))
			}
			got[r.text("transactionType")] += sum
			periods[r.text("period")] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(rows) != len(want)*len(periods) || len(periods) > 2 {
			return fmt.Errorf("%d rows have the sums %v, not %v", len(rows), got, want)
		}
		return nil
	})
	return rows
}

func aggregated(p *probe) {
	policy := p.aggregating()
	body := p.body("receipt", 0).with("policyNumber", policy["policyNumber"])
	for _, r := range []struct {
		kind   string
		amount int
	}{{"new policy", 1200}, {"new policy", 300}, {"mid term adjustment", 40}} {
		p.create("receipt", body.with("receiptType", r.kind, "paymentAmount", r.amount))
	}
	wrong := p.create("receipt", body.with("receiptType", "new policy", "paymentAmount", 5000))
	p.action(http.StatusCreated, "/receipt/"+wrong.text("id")+":refund", refund)
	for _, row := range p.sums(policy, map[string]int{"new policy": 1500, "mid term adjustment": 40}) {
		p.holds(row, record{
			"policyholder": policy["policyholderId"], "inceptionDate": policy["inceptionDate"],
			"expiryDate":           policy["expiryDate"],
			"indemnityLimitPolicy": policy["indemnityLimitPolicy"],
		})
	}
}

func ownedByAggregation(p *probe) {
	policy := p.aggregating()
	body := p.body("receipt", 0).with("policyNumber", policy["policyNumber"], "receiptType", "new policy",
		"paymentAmount", 60)
	p.create("receipt", body)
	row := p.sums(policy, map[string]int{"new policy": 60})[0]
	path := "/premiumBordereau/" + row.text("id")
	for member, value := range map[string]any{"grossWrittenPremium": 61, "transactionType": "other",
		"policyNumber": "POL-NONE", "period": "2001-01"} {
		p.refused(http.StatusConflict, "", p.put(path, row.with(member, value)))
	}
	treaty := record{"netPremium": 55, "treatyReference": p.fresh("treaty")}
	p.holds(p.wants(http.StatusOK, p.put(path, row.with(pairs(treaty)...))), treaty)
	p.create("receipt", body.with("paymentAmount", 40))
	p.sums(policy, map[string]int{"new policy": 100})
	p.holds(p.read(path), treaty.with("grossWrittenPremium", 100))
}
