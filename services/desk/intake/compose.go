package intake

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// row is a row as it is stored before it is checked.
type row struct {
	Row int `json:"row"`
	// Key begins the Idempotency-Keys of the records: it follows from what they are together, and from how many rows
	// before make the same. So the rows of a file that was mended elsewhere make nothing again. What a row that was
	// mended has made of its records before, it takes over; see leftovers.
	Key string `json:"key,omitzero"`
	// Sent are the texts of all cells.
	Sent []string `json:"sent"`
	// Bodies are the bodies of the records, in their order.
	Bodies []body `json:"bodies,omitempty"`
	// Wrong are the cells that cannot be read.
	Wrong []intake.ImportWrong `json:"wrong,omitempty"`
}

// body is the body of a record. It refers to others of the row by their names.
type body struct {
	Name     string         `json:"name"`
	Resource string         `json:"resource"`
	JSON     jsontext.Value `json:"json"`
}

// refers matches a fixed value that stands for one of another record of the row.
var refers = regexp.MustCompile(`^@([A-Za-z0-9_]{1,40})\.([A-Za-z]+)$`)

// refOf returns the name of a record of a row, which no other record of a part has.
func refOf(row int, name string) string { return strconv.Itoa(row) + "_" + name }

// compose returns a row with the bodies of its records. A record of which no cell of the row gives anything is not
// made, and what would refer to it is left out.
func (i *Intake) compose(records []reconciliation.FileRecord, of profile.Row) (row, error) {
	to, bytes := row{Row: of.Row, Sent: of.Sent}, 0
	for _, text := range of.Sent {
		bytes += len(text)
	}
	if bytes > mostRow {
		return row{Row: of.Row, Wrong: []intake.ImportWrong{{
			Cell: sheet.Place(1, of.Row), Reason: fmt.Sprintf("begins a row of more than %d bytes", mostRow),
		}}}, nil
	}
	for _, cell := range of.Wrong {
		to.Wrong = append(to.Wrong, intake.ImportWrong{Cell: cell.Cell, Reason: cell.Reason})
	}
	if len(to.Wrong) > 0 {
		return to, nil
	}
	hasCells := map[string]bool{}
	for _, value := range of.Values {
		name, _, _ := strings.Cut(value.Means, ".")
		hasCells[name] = true
	}
	for _, record := range records {
		if !hasCells[record.Name] {
			continue
		}
		members := resource.Object{}
		for _, value := range of.Values {
			name, path, _ := strings.Cut(value.Means, ".")
			if name == record.Name && !members.Put(resource.Split(path), value.Read) {
				to.Wrong = append(to.Wrong, intake.ImportWrong{
					Cell: value.Cell, Reason: "gives a part of what another column gives as a whole",
				})
			}
		}
		for path, fixed := range record.Values {
			if parts := refers.FindStringSubmatch(fixed); parts != nil && !hasCells[parts[1]] {
				continue
			}
			kind, _ := i.MemberOf(record.Resource, path)
			value, err := resource.Value(kind, fixed)
			if err != nil {
				return to, err
			}
			members.Put(resource.Split(path), value) // a cell of the row stands before what is fixed
		}
		text, err := json.Marshal(members, json.Deterministic(true))
		if err != nil {
			return to, err
		}
		to.Bodies = append(to.Bodies, body{record.Name, record.Resource, text})
	}
	if len(to.Bodies) > 0 && hasCells[records[len(records)-1].Name] {
		return to, nil
	}
	if len(to.Wrong) == 0 {
		to.Wrong = append(to.Wrong, intake.ImportWrong{
			Cell:   sheet.Place(1, of.Row),
			Reason: "begins a row without anything of " + records[len(records)-1].Name + ", which each row makes",
		})
	}
	return to, nil
}

// MemberOf returns the kind of a member of a resource by its path, and reports whether a record can be created with it;
// an empty path asks for the resource itself.
func (i *Intake) MemberOf(name, path string) (resource.Kind, bool) {
	of, is := i.Catalog.Find(name)
	if !is || !of.Creatable {
		return resource.Free, false
	}
	if path == "" {
		return resource.Free, true
	}
	at := slices.IndexFunc(of.Sent, func(m resource.Member) bool { return m.Path == path })
	if at >= 0 {
		return of.Sent[at].Kind, true
	}
	// Something inside a member of any type, or an object whose members are named, as a whole.
	return resource.Free, slices.ContainsFunc(of.Sent, func(m resource.Member) bool {
		return m.Kind == resource.Free && strings.HasPrefix(path, m.Path+".") || strings.HasPrefix(m.Path, path+".")
	})
}

// creations returns the records of a row, ready to be tried or made, in the order of its bodies, and adds them to
// byName. wrong is what refers to no record of the row.
func (s *stored) creations(
	of row, byName map[string]*creation.Creation,
) (all []*creation.Creation, wrong []intake.ImportWrong, err error) {
	own := map[string]bool{}
	for _, b := range of.Bodies {
		one := &creation.Creation{Ref: refOf(of.Row, b.Name), Resource: b.Resource, Key: ownKey(&of, b.Name)}
		if one.Body, err = reference.Resolve(b.JSON, func(r reference.Reference) string {
			if !own[r.To] {
				wrong = append(wrong, s.wrongAt(of.Row, b.Name, string(r.Pointer),
					"begins with @ as a reference to a record of the row does, and there is no such record"))
			}
			return "@" + refOf(of.Row, r.To) + "." + r.Member
		}); err == nil {
			one.Refers, _, err = reference.Find(one.Body)
		}
		if err != nil {
			return nil, nil, err
		}
		own[b.Name], byName[one.Ref] = true, one
		all = append(all, one)
	}
	return all, wrong, nil
}

// wrongAt returns what is wrong with a member of a record of a row, with the cell that gives it.
func (s *stored) wrongAt(row int, name, pointer, reason string) intake.ImportWrong {
	of := intake.ImportWrong{Record: name, Pointer: pointer, Reason: reason}
	means := name
	for token := range jsontext.Pointer(pointer).Tokens() {
		if means = resource.Join(means, token); s.Columns[means] > 0 {
			of.Cell = sheet.Place(s.Columns[means], row)
		}
	}
	return of
}
