package book

import (
	"fmt"
	"strings"
	"time"

	"insurance.example/exchange/contracts/reconciliation"
)

// row is a row of a statement.
type row struct {
	// line is the id of the line that it is about, empty where the broker does not know it.
	line, policyNumber string
	// kind is the type of the receipt.
	kind  string
	on    time.Time
	gross float64
}

// statementProfile says how the files of a broker are read.
func statementProfile(currency string, types Record) Record {
	return Record{
		"format": reconciliation.CSV, "delimiter": ";", "encoding": reconciliation.UTF8, "headerRow": 1,
		"decimalMark": ".", "dateOrder": reconciliation.DayFirst, "sign": reconciliation.Minus, "currency": currency,
		"totals": Record{"rule": reconciliation.NoTotals}, "types": types,
		"columns": []any{
			Record{"column": "Line", "means": reconciliation.LineID},
			Record{"column": "Policy", "means": reconciliation.PolicyNumber},
			Record{"column": "Type", "means": reconciliation.Type},
			Record{"column": "Date", "means": reconciliation.Date},
			Record{"column": "Gross", "means": reconciliation.Gross},
		},
	}
}

// compare compares what a broker says, in a currency, with records.
func (c *chain) compare(broker, currency string, rows []row, against Record) {
	types := Record{}
	var file strings.Builder
	file.WriteString("Line;Policy;Type;Date;Gross\n")
	for _, r := range rows {
		types[r.kind] = r.kind
		fmt.Fprintf(&file, "%s;%s;%s;%s;%.2f\n", r.line, r.policyNumber, r.kind, r.on.Format("02/01/2006"), r.gross)
	}
	if c.err != nil {
		return
	}
	if _, c.err = c.exchange.Make(c.ctx, "/x/reconciliation/profile/"+broker,
		statementProfile(currency, types)); c.err != nil {
		return
	}
	var sent Record
	sent, c.err = c.exchange.Upload(c.ctx, broker, []byte(file.String()))
	const path = "/x/reconciliation/run"
	c.carryOut("", path, "seed-"+c.scope+path+sent.Text("id"), Record{"statement": sent["id"], "against": against})
}
