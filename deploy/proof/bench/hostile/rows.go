package hostile

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// assaultsOn returns the rows of the table of hostile callers, who reach the exchange through a client.
func assaultsOn(p *prey, c *load.Client) []*assault {
	t := target{c}
	property := func(body []byte) func(uint64) load.Call { return posts("/propertyCoverage", body) }
	asOf := time.Now().Add(-time.Millisecond)
	million := strings.Repeat("7", 1_000_000)
	var all []*assault
	add := func(name string, callers int, row *load.Row) {
		row.Name = name
		all = append(all, &assault{Row: row, callers: callers})
	}

	// What the senders themselves make of the figures, on the same processors.
	create, get := posts("/vehicle", filled(`{`, numbered(`"m%d":"`+strings.Repeat("x", 1000)+`"`),
		`}`)), gets("/vehicle/"+p.Vehicle)
	add("bodies of 1 MB to a process that discards them", 16, sends(create))
	add("responses of 900 KB from a bare process", 32, sends(get))
	all[0].elsewhere, all[1].elsewhere = true, true

	// Size.
	versions := make([][]byte, 8)
	for n := range versions {
		versions[n] = padded(fmt.Sprintf(`"vin":"%d"`, n))
	}
	add("replace one record of 900 KB", 32, sends(func(n uint64) load.Call {
		return load.Call{Method: http.MethodPut, Path: "/vehicle/" + p.Vehicle, Body: versions[n%8]}
	}))
	add("create records of 1 MB", 16, sends(create))
	add("list 200 records of 900 KB", 4, sends(gets("/business?limit=200")))
	add("list 200 records of 900 KB, and do not read", 8, t.unread("/business?limit=200"))
	add("list 200 small records whose last change was 900 KB", 4, sends(gets("/motorCoverage?limit=200")))
	add("read one record of 900 KB", 32, sends(get))
	add("read one claim of the greatest size", 32, sends(gets("/claim/"+p.Claim)))
	add("read one claim of the greatest size, and do not read the response", 64, t.unread("/claim/"+p.Claim))
	add("change one member of a claim of the greatest size", 16, sends(func(n uint64) load.Call {
		return load.Call{Method: http.MethodPut, Path: "/claim/" + p.Claim,
			Body: []byte(fmt.Sprintf(`{"location":"%d"}`, n))}
	}))
	add("history of a record with changes of 900 KB", 16, sends(gets("/x/history/vehicle/"+p.Events+"?limit=200")))
	add("record of 900 KB as it was", 16,
		sends(gets("/x/asof/vehicle/"+p.Events+"?at="+asOf.UTC().Format(time.RFC3339Nano))))
	add("action with a body of 900 KB that is refused", 16, sends(posts("/motorCoverage/"+p.Policy+":renew",
		padded(`"inceptionDate":"2020-01-01T00:00:00Z"`))))
	add("10,000 references to one record of 900 KB", 2, sends(property(filled(`{"propertyIds":[`,
		upTo(10_000, `"`+p.Property+`"`), `]}`))))
	add("10,000 references to records that do not exist", 4, sends(posts("/travelCoverage",
		[]byte(`{"isGroup":true,"destination":250,"travellerIds":["`+strings.Join(unknownIDs(10_000), `","`)+`"]}`))))

	add("10,000 references to properties that exist", 4, sends(property(insuringAll(p))))

	// Parsing.
	add("number of a million digits, with an Idempotency-Key", 2, keyed("/vehicle", []byte(`{"x":`+million+`}`)))
	add("number of a million digits as an int", 2, sends(property([]byte(`{"indemnityLimitPolicy":`+million+`}`))))
	add("numbers with the greatest exponents", 4, keyed("/propertyCoverage",
		filled(`{`, numbered(`"n%d":1e999999999`), `}`)))
	add("ints with the greatest exponents", 4, sends(posts("/claim",
		[]byte(`{"reserve":1e999999999,"liabilityShare":1e-999999999}`))))
	add("80,000 members beside deductibles", 4, sends(property(filled(`{"deductibles":{"deductibleAmountBuilding":1},`,
		numbered(`"m%d":1`), `}`))))
	add("80,000 members in deductibles", 4, sends(property(filled(`{"deductibles":{`, numbered(`"m%d":1`), `}}`))))
	add("100,000 members, with an Idempotency-Key", 4, keyed("/vehicle", filled(`{`, numbered(`"%d":1`), `}`)))
	add("100,000 members of a value that is kept as it is, with a key", 4,
		keyed("/vehicle", filled(`{"physical":{`, numbered(`"%d":1`), `}}`)))
	add("10,000 members, with a key", 4, keyed("/vehicle", membersOf(10_000)))
	add("replace a record of 10,000 members", 4, sends(func(n uint64) load.Call {
		return load.Call{Method: http.MethodPut, Path: "/vehicle/" + p.Vehicle,
			Body: append(fmt.Appendf(nil, `{"vin":"%d",`, n), membersOf(9_999)[1:]...)}
	}))
	add("10,000 members in deductibles", 4, sends(property(fmt.Appendf(nil,
		`{"propertyId":"%s","inceptionDate":1,"deductibles":%s}`, p.Property, membersOf(9_997)))))
	add("50,000 numbers, with a key", 4, keyed("/vehicle", []byte("{"+strings.Join(repeated(lists("12.5"), 4),
		",")+"}")))
	add("lists of 10,000 elements, with a key", 4, keyed("/vehicle", filled(`{`, lists("1"), `}`)))
	add("empty objects in lists, with a key", 4, keyed("/vehicle", filled(`{`, lists("{}"), `}`)))
	add("64 levels of lists, with a key", 4, keyed("/vehicle", filled(`{`, numbered(`"%d":`+nested("[", "]")), `}`)))
	add("64 levels of objects, with a key", 4, keyed("/vehicle",
		filled(`{`, numbered(`"%d":`+nested(`{"a":`, "}")), `}`)))
	add("members that are named twice, at the end", 4, sends(posts("/vehicle",
		filled(`{`, numbered(`"%d":1`), `,"1":2}`))))
	add("member names of 64 KB", 4, keyed("/vehicle", filled(`{`, numbered(`"%d`+strings.Repeat("n", 64_000)+`":1`),
		`}`)))
	add("strings of escapes, with a key", 4, keyed("/vehicle",
		filled(`{`, numbered(`"e%d":"`+strings.Repeat(`\u00e9`, 10_000)+`"`), `}`)))
	add("long strings under both names of a member", 4, sends(posts("/debtor",
		twice("parentCompany", "ultimateParentCompany"))))
	add("10,000 wrong types in a list", 4, sends(property(filled(`{"perils":[`, upTo(10_000, `0`), `]}`))))
	add("10,000 perils that are unknown", 4, sends(property(filled(`{"propertyId":"`+p.Property+`","perils":[`,
		upTo(10_000, `"x"`), `]}`))))
	add("200,000 perils that are unknown", 4, sends(property(filled(`{"propertyId":"`+p.Property+`","perils":[`,
		always(`"x"`), `]}`))))
	add("members with long names and wrong types", 4, sends(posts("/driver",
		filled(`{"name":{"`+strings.Repeat("n", 60_000)+`":1},"licence":{`, numbered(`"m%d":1`), `,"expiryDate":1}}`))))
	add("no JSON: a megabyte of brackets", 4, sends(posts("/vehicle", []byte(strings.Repeat("[", largestBody)))))
	add("no JSON: a syntax error at the end", 4, sends(posts("/vehicle", filled(`{`, numbered(`"%d":1`), `,}`))))

	// What surrounds a body.
	add("skip 100,000 records", 8, sends(gets("/vehicle?limit=200&skip=100000")))
	add("skip a million records", 8, sends(gets("/vehicle?skip=1000000")))
	add("2,000 query parameters", 8, sends(gets("/vehicle?"+strings.Repeat("a%41=%42&", 3000)+"z=1")))
	add("If-None-Match of 30 KB", 8, headed("/vehicle/"+p.Small, "If-None-Match", strings.Repeat(`"x",`, 7500)+`"y"`))
	add("headers of 10 MB", 4, &load.Row{Perform: t.manyHeaders})
	add("a chunked body without an end", 16, &load.Row{Perform: t.chunked})
	add("bodies of which a byte comes each second", 200, t.slowBodies("/vehicle", largestBody))
	add("pipelined requests whose responses nobody reads", 32, t.pipelined("/vehicle?limit=50"))
	add("connections on which a request does not end", 500, &load.Row{Perform: t.silent})
	add("tokens of 30 KB that are not valid", 8, headed("/vehicle", "Authorization",
		"Bearer "+strings.Repeat("eyJhbGciOiJSUzI1NiJ9.", 1400)+"x"))
	return all
}

// upTo returns a function that returns a text for each number below a count, and too much for a body from there on.
func upTo(count int, text string) func(int) string {
	return func(i int) string {
		if i < count {
			return text
		}
		return strings.Repeat(" ", largestBody)
	}
}

// twice returns an object with members of 64 KB, each under both of its names.
func twice(name, other string) []byte {
	text := strings.Repeat("x", longestString-1)
	return filled(fmt.Sprintf(`{"%s":"%s","%s":"%s",`, name, text, other, text), numbered(`"m%d":"`+text+`"`), `}`)
}

// bareOf returns what a process that does nothing else returns for the rows that are sent elsewhere.
func bareOf(p *prey) []sides.Response {
	kind := map[string]string{"Content-Type": "application/json"}
	return []sides.Response{
		{Method: http.MethodPost, Route: "/vehicle", Status: http.StatusCreated, Header: kind, Body: []byte("{}")},
		{Method: http.MethodGet, Route: "/vehicle/" + p.Vehicle, Status: http.StatusOK, Header: kind, Body: padded()},
	}
}
