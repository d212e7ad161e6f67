package book_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/book"
)

// logs are the logs of services that the test writes, and a desk without contracts.
type logs map[string][]internalapi.Change

func (l logs) add(service, resource, id, record string) {
	l[service] = append(l[service], internalapi.Change{Resource: resource, ID: scalar.ID(id), Version: 1,
		Type: "created", Time: scalar.Instant(present), Record: scalar.JSON(record)})
}

// peers returns the services as the book calls them.
func (l logs) peers() map[string]http.Handler {
	peers := map[string]http.Handler{}
	for _, service := range internalapi.Logged() {
		peers[service] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, internalapi.ChangesPath))
			limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
			to := min(from+limit, len(l[service]))
			_ = json.NewEncoder(w).Encode(internalapi.Changes{Changes: l[service][from:to], Next: strconv.Itoa(to),
				Watermark: scalar.Instant(present)})
		})
	}
	peers["desk"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) })
	return peers
}

// present is the instant of these tests.
var present = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// hardNames are names that files cannot hold as they are.
var hardNames = []string{
	"=1+1", "@SUM(A1)", "a\u0001b\u000b_x0041_", "\"Q\", q;\r\nline\ttwo", "Ümlaut AG", "007", "-5", "",
}

// exported starts the book with some policies, claims and receipts, in Paris.
func exported(t *testing.T, policies int) *servicetest.Service {
	t.Helper()
	const seed = 12
	t.Logf("seed %d", seed)
	random, l := rand.New(rand.NewPCG(seed, 1)), logs{}
	for i, name := range hardNames {
		text, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		l.add("parties", "commercial", fmt.Sprint("holder", i), fmt.Sprintf(`{"name":%s}`, text))
	}
	for i := range policies {
		number := fmt.Sprintf("POL-%05d", i)
		begins := present.AddDate(0, 0, -random.IntN(700)).Add(time.Duration(random.IntN(1e6)) * time.Millisecond)
		ends := fmt.Sprintf(`"expiryDate":%q,`, begins.AddDate(1, 0, 0).Format(time.RFC3339))
		if random.IntN(4) == 0 {
			ends = ""
		}
		l.add("coverage", "motorCoverage", fmt.Sprint("policy", i), fmt.Sprintf(
			`{"policyNumber":%q,"policyholderId":"holder%d",%s"inceptionDate":%q,"grossWrittenPremium":%d.5,`+
				`"status":"in force"}`, number, random.IntN(len(hardNames)), ends,
			begins.Format(time.RFC3339Nano), random.IntN(50)*1000))
		if random.IntN(3) == 0 {
			l.add("claims", "claim", fmt.Sprint("claim", i), fmt.Sprintf(
				`{"policyNumber":%q,"claimNumber":"CLM-%05d","lossDate":%q,"fnol":%q,"reserve":%d,"lossCause":"theft"}`,
				number, i, begins.Format(time.RFC3339), begins.AddDate(0, 0, 3).Format(time.RFC3339), random.IntN(900)))
		}
		l.add("premium", "receipt", fmt.Sprint("receipt", i), fmt.Sprintf(
			`{"policyNumber":%q,"receiptType":"new policy","paymentAmount":%d,"receiptDate":%q,"recordedAt":%q}`,
			number, 1+random.IntN(30), begins.Format(time.DateOnly), present.Format(time.RFC3339)))
	}
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{Peers: l.peers(),
		Clock: servicetest.At(t, present.Format(time.RFC3339)),
		Flags: []string{"--amount-unit", "major", "--currency", "EUR", "--time-zone", "Europe/Paris"}})
	wait.Until(t, func() error {
		if got := s.Do(http.MethodGet, "/x/book/policies", ""); got.Status != http.StatusOK {
			return fmt.Errorf("%d %s", got.Status, got.Text)
		}
		return nil
	})
	return s
}

// pagesOf returns all rows of a list, page by page.
func pagesOf(t *testing.T, s *servicetest.Service, list string) (rows []map[string]any) {
	t.Helper()
	path, query, _ := strings.Cut(list, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	values.Set("limit", "150")
	for {
		var page struct {
			Rows []map[string]any
			Next string
		}
		got := s.Must(http.StatusOK, http.MethodGet, path+"?"+values.Encode(), "")
		from := json.NewDecoder(strings.NewReader(got.Text))
		from.UseNumber()
		if err := from.Decode(&page); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, page.Rows...)
		if page.Next == "" {
			return rows
		}
		values.Set("cursor", page.Next)
	}
}

// valueOf returns a member of a row, or a member of a member.
func valueOf(row map[string]any, name string) any {
	if of, member, within := strings.Cut(name, "."); within {
		row, _ = row[of].(map[string]any)
		name = member
	}
	return row[name]
}

// inCSV returns the cell that CSV has for a member of a row, and inXLSX that of a workbook.
func inCSV(value any, name string, zone *time.Location) string {
	switch is := value.(type) {
	case nil:
		return map[string]string{"ended": "false"}[name] // which JSON leaves out
	case []any:
		return strings.Trim(fmt.Sprint(is), "[]")
	case string:
		if at, err := time.Parse(time.RFC3339Nano, is); err == nil {
			return at.In(zone).Format(time.RFC3339Nano)
		}
		return table.Neutral(is)
	default:
		return fmt.Sprint(is)
	}
}

func inXLSX(value any, name string, zone *time.Location) sheet.Cell {
	text := inCSV(value, name, zone)
	switch is := value.(type) {
	case json.Number:
		number, _ := is.Float64()
		return sheet.Cell{Kind: sheet.Number, Text: strconv.FormatFloat(number, 'f', -1, 64)}
	case string:
		if day, err := time.Parse(time.DateOnly, is); err == nil {
			return sheet.Cell{Kind: sheet.Day, Text: day.Format(time.DateOnly)}
		}
		if at, err := time.Parse(time.RFC3339Nano, is); err == nil {
			if shown := at.In(zone).Format("2006-01-02T15:04:05.999"); !strings.HasSuffix(shown, "T00:00:00") {
				return sheet.Cell{Kind: sheet.Moment, Text: shown}
			}
			return sheet.Cell{Kind: sheet.Day, Text: at.In(zone).Format(time.DateOnly)}
		}
	}
	if text == "true" || text == "false" {
		text = strings.ToUpper(text)
	}
	return sheet.Cell{Text: text}
}

// cellsOf returns the cells of a file, without how they are shown.
func cellsOf(t *testing.T, format, file string) (rows [][]sheet.Cell) {
	t.Helper()
	note := func(row sheet.Row) error {
		cells := make([]sheet.Cell, len(row.Cells))
		for i, cell := range row.Cells {
			cells[i] = sheet.Cell{Kind: cell.Kind, Text: cell.Text, Wrong: cell.Wrong, Formula: cell.Formula}
		}
		rows = append(rows, cells)
		return nil
	}
	read := func() error { return sheet.CSV(strings.NewReader(file), ",", "utf-8", note) }
	if format == table.XLSX.Media {
		read = func() error { return sheet.XLSX(strings.NewReader(file), int64(len(file)), sheet.Of{}, note) }
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestFilesHaveTheRowsOfPages reads lists as CSV and XLSX, filtered and sorted and with some columns, and compares the
// files with the pages cell by cell.
func TestFilesHaveTheRowsOfPages(t *testing.T) {
	s := exported(t, 2300)
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for list, least := range map[string]int{
		"policies": 2300,
		"policies?sort=-written&expiryDateEmpty=true&from=2025-01&to=2026-06": 100,
		"policies?insuredBegins=%3D&sort=inceptionDate":                       100,
		"claims?sort=-lossDate&reserveFrom=300":                               100,
		"claims?from=2026-01":                                                 100,
		"movements?sort=amount&dateTo=2026-06-30":                             100,
		"late": 100,
		"policies?columns=insured,marks,ended,inceptionDate&sort=insured": 2300,
		"policies?columns=selected,written&from=2026-01&to=2026-03":       100,
		"policies?insured=nobody":                                         0,
	} {
		rows := pagesOf(t, s, "/x/book/"+list)
		if len(rows) < least || least == 0 && len(rows) > 0 {
			t.Fatalf("%s: %d rows", list, len(rows))
		}
		for media, cellOf := range map[string]func(any, string, *time.Location) sheet.Cell{
			"text/csv": func(value any, name string, zone *time.Location) sheet.Cell {
				return sheet.Cell{Text: strings.ReplaceAll(inCSV(value, name, zone), "\r\n", "\n")} // as CSV is read
			},
			table.XLSX.Media: inXLSX,
		} {
			got := s.Must(http.StatusOK, http.MethodGet, "/x/book/"+list, "", "Accept", media)
			name, _, _ := strings.Cut(list, "?")
			if of := got.Header; !strings.HasPrefix(of.Get("Content-Type"), media) ||
				!strings.Contains(of.Get("Content-Disposition"), name+"-20261130T120000Z.") {
				t.Errorf("%s: %v", list, of)
			}
			written := `,"""Q"", q;` + "\r\nline\ttwo\","
			if list == "policies" && media == "text/csv" && !strings.Contains(got.Text, written) {
				t.Errorf("CSV has no %q", written)
			}
			cells := cellsOf(t, media, got.Text)
			if len(cells) != len(rows)+1 {
				t.Fatalf("%s has %d rows as %s, want a header and %d", list, len(cells), media, len(rows))
			}
			for i, row := range rows {
				for j, column := range cells[0] {
					is := sheet.Cell{}
					if j < len(cells[i+1]) {
						is = cells[i+1][j]
					}
					if want := cellOf(valueOf(row, column.Text), column.Text, paris); is != want {
						t.Fatalf("%s as %s, row %d, %s:\n got %+v\nwant %+v", list, media, i, column.Text, is, want)
					}
				}
			}
		}
	}
}

// headerOf returns the header of a list as CSV.
func headerOf(s *servicetest.Service, list string) string {
	got := s.Must(http.StatusOK, http.MethodGet, "/x/book/"+list, "", "Accept", "text/csv")
	header, _, _ := strings.Cut(got.Text, "\r\n")
	return header
}

// TestColumnsOfLists asks for some columns of lists: JSON has the key besides, and files have the order.
func TestColumnsOfLists(t *testing.T) {
	s := exported(t, 3)
	figures := "written,earned,received,refunded,commission,notified,closed,closedWithoutPayment,paid,outstanding," +
		"incurred"
	spread := "selected." + strings.ReplaceAll(figures, ",", ",selected.")
	policies := "policyNumber,id,line,status,ended,inceptionDate,expiryDate,coverEnds,insured,object,country," +
		"policyholderId,contract,year,currency,externalReference,replaces,renewedFrom,renewedTo,brokerId,broker," +
		"agentId,agent,owner,written,received,refunded,open,lastReceipt,claims,openClaims,paid," +
		"outstanding,incurred,lossRatio,marks"
	for list, want := range map[string]string{
		"policies":              policies,
		"policies?from=2025-01": policies + "," + spread,
		"claims": "claimNumber,id,policyNumber,line,insured,contract,brokerId,broker,agentId,agent,owner,year," +
			"country,currency,cause,lossDate,fnol,status,age,lastMovement,lastEvent,externalReference,reserve," +
			"paid,outstanding,incurred,payments",
		"movements": "id,kind,policyNumber,claimNumber,line,insured,contract,owner,year,currency,type,amount,date," +
			"recordedAt,late",
		"late?columns=late,id":                         "late,id",
		"claims?columns=fnol,paid":                     "fnol,paid",
		"policies?columns=selected,insured&to=2027-01": spread + ",insured",
	} {
		if is := headerOf(s, list); is != want {
			t.Errorf("%s has the columns\n%s, want\n%s", list, is, want)
		}
	}
	for list, want := range map[string]string{
		"policies?columns=written,currency":            "currency policyNumber written",
		"policies?columns=selected,written&to=2027-01": "policyNumber selected written",
		"movements?columns=amount":                     "amount id",
	} {
		rows := pagesOf(t, s, "/x/book/"+list)
		if is := strings.Join(slices.Sorted(maps.Keys(rows[0])), " "); is != want {
			t.Errorf("%s: the rows have %s, want %s", list, is, want)
		}
	}
	for list, reason := range map[string]string{
		"policies?columns=written,premium": "the columns are policyNumber, id, line",
		"policies?columns=":                "is no column",
		"policies?columns=paid,paid":       "twice",
		"policies?columns=selected":        "is no column",
		"movements?columns=selected":       "is no column",
	} {
		for _, accept := range []string{"application/json", "text/csv"} {
			got := s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/"+list, "", "Accept", accept)
			if !strings.Contains(got.Text, reason) {
				t.Errorf("%s: %s", list, got.Text)
			}
		}
	}
	s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/late?limit=5", "", "Accept", "text/csv")
	s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/policies?limit=5", "", "Accept", table.XLSX.Media)
	s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/policies?reserveFrom=1", "", "Accept", table.XLSX.Media)
	var page struct{ Next string }
	first := s.Must(http.StatusOK, http.MethodGet, "/x/book/policies?limit=1", "")
	if err := json.Unmarshal([]byte(first.Text), &page); err != nil {
		t.Fatal(err)
	}
	s.Must(http.StatusOK, http.MethodGet, "/x/book/policies?limit=1&columns=paid&cursor="+page.Next, "")
	s.Must(http.StatusBadRequest, http.MethodGet, "/x/book/policies?cursor="+page.Next, "", "Accept", "text/csv")
}

// TestNoFileBeforeAllIsRead asks for files of a book that has read nothing.
func TestNoFileBeforeAllIsRead(t *testing.T) {
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{})
	for _, media := range []string{"text/csv", table.XLSX.Media} {
		got := s.Must(http.StatusServiceUnavailable, http.MethodGet, "/x/book/claims", "", "Accept", media)
		media := got.Header.Get("Content-Type")
		if media != "application/problem+json" || got.Header.Get("Content-Disposition") != "" {
			t.Errorf("%v", got.Header)
		}
	}
}
