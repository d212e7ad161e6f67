// Package embed gives the records of a search those that they name, one level deep. What another service has, it asks
// for with one request for a page.
package embed

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/search"
)

// The paths of the internal operations that return records by their names, which follow them: as they are, and as they
// were at an instant. Their callers know them from the contract of the service.
const (
	Path     = "/internal/records/"
	PastPath = "/internal/records-at/"
)

const (
	// longestLookUp is how long another service may take to return the records that a page embeds.
	longestLookUp = 3 * time.Second
	// lookedUpTogether is how many records are read at the same time.
	lookedUpTogether = 8
)

// Source is where records are looked up.
type Source struct {
	// One returns the record of the service with an id or number, if it is of one of some resources, or of any if none
	// is named. It returns the zero value if there is none.
	One func(ctx context.Context, name string, of []string) (query.Shown, error)
	// Peer returns the client of another service.
	Peer func(service string) *peer.Client
}

// named is a record under the name that it was asked for by.
type named struct {
	Name string `json:"name"`
	query.Shown
}

// LookedUp is the response of the internal operation.
type LookedUp struct {
	Records []named `json:"records"`
	// Looked is how many of the names were looked up, from the first: the others are left out for their size.
	Looked int `json:"looked"`
}

// asked is a name, and the resources that it may be of; any of the service if there are none.
type asked struct {
	name string
	of   []string
}

// Named looks up records by names with commas between them. Errors: problem.BadParameter if they are more than
// search.MostExpanded, and those of One.
func (s Source) Named(ctx context.Context, names string) (LookedUp, error) {
	var all []asked
	for name := range strings.SplitSeq(names, ",") {
		all = append(all, asked{name: name})
	}
	if len(all) > search.MostExpanded {
		return LookedUp{}, problem.New(problem.BadParameter, "").InParameter("names",
			"are more than "+strconv.Itoa(search.MostExpanded))
	}
	return s.lookUp(ctx, all)
}

// lookUp reads records, up to search.MostBytes and one more. Errors: those of One.
func (s Source) lookUp(ctx context.Context, all []asked) (LookedUp, error) {
	found, size := LookedUp{Records: []named{}}, 0
	for together := range slices.Chunk(all, lookedUpTogether) {
		records := make([]query.Shown, len(together))
		reading, ctx := errgroup.WithContext(ctx)
		for i, one := range together {
			reading.Go(func() (err error) {
				records[i], err = s.One(ctx, one.name, one.of)
				return err
			})
		}
		if err := reading.Wait(); err != nil {
			return found, err
		}
		for i, record := range records {
			if size > 0 && size+len(record.Record) > search.MostBytes {
				return found, nil
			}
			found.Looked++
			if record.Record != nil {
				found.Records, size = append(found.Records, named{together[i].name, record}), size+len(record.Record)
			}
		}
	}
	return found, nil
}

// lookUps are the names of a page that one service is asked for, and what it has.
type lookUps struct {
	asked []asked
	found map[string]jsontext.Value
	// known are all names, and left those that were not looked up.
	known, left map[string]bool
}

// Page returns the records of a page with those that it embeds. It asks each service once. The page ends before a
// record whose embedded records are too many or too large, unless it is the first. Errors: those of One.
func (s Source) Page(ctx context.Context, q *search.Query, page *search.Page) ([][]byte, error) {
	from := namesOf(page)
	var asking errgroup.Group
	for service, of := range from {
		asking.Go(func() error { return s.ask(ctx, service, of) })
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	var records [][]byte
	size := 0
	for i := range page.Found {
		record, whole, err := embedded(&page.Found[i], from)
		if err != nil {
			return nil, err
		}
		if i > 0 && (!whole || size+len(record) > search.MostBytes && len(record) > len(page.Found[i].Record)) {
			page.Cut(q, i)
			break
		}
		records, size = append(records, record), size+len(record)
	}
	return records, nil
}

// namesOf returns what a page asks each service for, in the order of the page.
func namesOf(page *search.Page) map[string]*lookUps {
	from := map[string]*lookUps{}
	for _, rows := range page.Found {
		for _, of := range rows.Named {
			at := from[of.From]
			if at == nil {
				at = &lookUps{found: map[string]jsontext.Value{}, known: map[string]bool{}, left: map[string]bool{}}
				from[of.From] = at
			}
			for _, name := range of.Names {
				if name == "" || at.known[name] {
					continue
				}
				at.known[name] = true
				if at.left[name] = len(at.asked) == search.MostExpanded; !at.left[name] {
					at.asked = append(at.asked, asked{name, of.Of})
				}
			}
		}
	}
	return from
}

// ask looks the names up, in the service itself or in another one. What another service does not return is unknown.
func (s Source) ask(ctx context.Context, service string, of *lookUps) (err error) {
	if len(of.asked) == 0 {
		return nil
	}
	var got LookedUp
	if service == "" {
		got, err = s.lookUp(ctx, of.asked)
	} else {
		got = s.askPeer(ctx, service, of.asked)
	}
	for _, record := range got.Records {
		of.found[record.Name] = record.Record
	}
	for _, a := range of.asked[min(got.Looked, len(of.asked)):] {
		of.left[a.name] = true
	}
	return err
}

func (s Source) askPeer(ctx context.Context, service string, all []asked) LookedUp {
	nothing := LookedUp{Looked: len(all)}
	names := make([]string, 0, len(all))
	for _, a := range all {
		names = append(names, a.name)
	}
	ctx, cancel := context.WithTimeout(ctx, patience.Times(longestLookUp))
	defer cancel()
	path := Path + url.PathEscape(strings.Join(names, ","))
	reply, err := s.Peer(service).Do(ctx, peer.Call{Method: http.MethodGet, Path: path})
	if err != nil || reply.Status != http.StatusOK {
		return nothing
	}
	var got LookedUp
	if json.Unmarshal(reply.Body, &got) != nil {
		return nothing
	}
	return got
}

// embedded returns a record with what it embeds, in place of members of these names. whole is false if that lacks a
// record that was not looked up.
func embedded(found *search.Found, from map[string]*lookUps) (record []byte, whole bool, err error) {
	if len(found.Named) == 0 {
		return found.Record, true, nil
	}
	var added []jsonobject.Member
	var unresolved []string
	whole, size := true, 0
	for _, of := range found.Named {
		at, values := from[of.From], [][]byte{}
		for _, name := range of.Names {
			value := at.found[name]
			whole = whole && !at.left[name]
			if size += len(value); size > search.MostBytes && size > len(value) {
				value, whole = nil, false
			}
			if value == nil {
				value = jsontext.Value("null")
				unresolved = append(unresolved, of.Name)
			}
			values = append(values, value)
		}
		value := bytes.Join(values, []byte(","))
		if of.List {
			value = slices.Concat([]byte("["), value, []byte("]"))
		}
		added = append(added, jsonobject.Member{Name: of.Name, Value: value})
	}
	if len(unresolved) > 0 {
		text, err := json.Marshal(slices.Compact(unresolved))
		if err != nil {
			return nil, false, err
		}
		added = append(added, jsonobject.Member{Name: search.UnresolvedName, Value: text})
	}
	members, err := jsonobject.Members(found.Record)
	members = slices.DeleteFunc(members, func(m jsonobject.Member) bool {
		return slices.ContainsFunc(added, func(a jsonobject.Member) bool { return a.Name == m.Name })
	})
	return jsonobject.Of(append(members, added...)), whole, err
}
