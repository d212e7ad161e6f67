package book

import (
	"fmt"
	"strings"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/reconciliation"
)

// statementProfile says how the files of the broker of a year are read.
var statementProfile = Record{
	"format": reconciliation.CSV, "delimiter": ";", "encoding": reconciliation.UTF8, "headerRow": 1,
	"decimalMark": ".", "dateOrder": reconciliation.DayFirst, "sign": reconciliation.Minus, "currency": "EUR",
	"totals": Record{"rule": reconciliation.NoTotals}, "types": Record{"NB": "new policy"},
	"columns": []any{
		Record{"column": "Policy", "means": reconciliation.PolicyNumber},
		Record{"column": "Type", "means": reconciliation.Type},
		Record{"column": "Date", "means": reconciliation.Date},
		Record{"column": "Gross", "means": reconciliation.Gross},
	},
}

// compare compares what a broker says of a month of the motor contract with what is reported: one row is right, in one
// two digits have changed places, and one is of a policy of another contract.
func (y *year) compare(n int) {
	contract, name := reference(y.Seed, motor), reference(y.Seed, "BROKER")
	y.tell(n, "the statement of the broker %s has 205 for 250 of policy %s, and a row of policy %s, which is not "+
		"under %s", name, y.numberOf("lorries"), y.numberOf("bakery"), contract)
	if y.whole {
		return
	}
	y.carryOut("", "/x/reconciliation/profile/"+name, "", statementProfile)
	var file strings.Builder
	file.WriteString("Policy;Type;Date;Gross\n")
	for _, row := range []struct {
		policy string
		gross  int
	}{{"fleet", 100}, {"lorries", 205}, {"bakery", 150}} {
		fmt.Fprintf(&file, "%s;NB;%s;%d\n", y.numberOf(row.policy), y.work(n).Format("02/01/2006"), row.gross)
	}
	if y.err != nil {
		return
	}
	var sent Record
	sent, y.err = y.upload(y.ctx, name, []byte(file.String()))
	y.change("", "/x/reconciliation/run", Record{
		"statement": sent["id"],
		"against":   Record{"contract": contract, "kind": desk.Premium, "period": y.named(n)},
	})
}
