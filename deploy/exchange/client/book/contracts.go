package book

import (
	"fmt"

	"insurance.example/exchange/contracts/desk"
)

// bordereau returns the path of a period of a contract of the book.
func (c *chain) bordereau(contract, kind, period string) string {
	return "/x/bordereau/" + reference(c.Seed, contract) + "/" + kind + "/" + period
}

// versions returns the versions of a period.
func versions(of Record) []any {
	all, _ := of["versions"].([]any)
	return all
}

// contract returns what a contract of the book says.
func (c *chain) contract(name string) Record {
	terms, _ := c.find("/x/contract/" + reference(c.Seed, name))["contract"].(map[string]any)
	return terms
}

// prepare prepares the bordereau of a period unless it has a version, and approves that if it is asked to.
func (c *chain) prepare(path string, approve bool) {
	const reported = "bordereau version"
	live := c.find(path)
	if c.err != nil {
		return
	}
	var version Record
	if all := versions(live); len(all) > 0 {
		version, _ = all[0].(map[string]any)
		c.found(reported, false)
	} else {
		is := desk.Original
		if live["liveLines"] == 0.0 {
			is = desk.Nil
		}
		version = c.change(reported, path+":prepare", Record{"type": is})
	}
	if approve && version["state"] != desk.Approved {
		c.change("", fmt.Sprintf("%s/versions/%v:approve", path, version["number"]),
			Record{"digest": version["digest"]})
	}
}

// compare compares what a broker of the book says with records.
func (c *chain) compare(broker string, rows []Record, against Record) {
	types := Record{}
	for _, r := range rows {
		types[r.Text("receiptType")] = r["receiptType"]
	}
	c.vars["rows"], c.vars["types"], broker = rows, types, reference(c.Seed, broker)
	c.make("", "/x/reconciliation/profile/"+broker, c.record(read().Parts["profile"]))
	file := c.text(read().Parts["statement"].(string))
	if c.err != nil {
		return
	}
	var sent Record
	sent, c.err = c.exchange.Upload(c.ctx, broker, []byte(file))
	const path = "/x/reconciliation/run"
	c.carryOut("", path, "seed-"+c.scope+path+sent.Text("id"), Record{"statement": sent["id"], "against": against})
}
