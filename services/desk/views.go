package desk

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
	"insurance.example/exchange/pkg/rest/external"
)

const (
	viewsPath = rest.ExtensionPrefix + "/view"
	viewPath  = viewsPath + "/{view}"
	bookPath  = rest.ExtensionPrefix + "/book/"

	// mostViews is how many views a person may have, and mostQuery how long the parameters of one may be, in bytes.
	mostViews = 100
	mostQuery = 16 << 10
)

// views keeps the lists of the book that people want again, each under a name and for its person alone. It is safe for
// concurrent use, once open has returned.
type views struct {
	kept docstore.Kept[place]
	now  func() time.Time
}

// place is one of the places that a person has for views. A view that is removed leaves its place to another one, so
// that there are never more than mostViews.
type place struct {
	Person string `json:"person"`
	Number int    `json:"number"`
	// View is the view in it; its name is empty if there is none.
	View desk.BookView `json:"view"`

	at docstore.At
}

// The indexes of the places.
const (
	placeIndex  = "place"
	nameIndex   = "name"
	personIndex = "person"
)

func (p *place) keys() docstore.Keys {
	keys := docstore.Keys{placeIndex: p.Person + " " + strconv.Itoa(p.Number), personIndex: p.Person}
	if p.View.Name != "" {
		keys[nameIndex] = nameKey(p.Person, p.View.Name)
	}
	return keys
}

// nameKey returns the key of a name, which has no line end.
func nameKey(person, name string) string { return person + "\n" + name }

func (v *views) open(ctx context.Context, store docstore.Store) error {
	in, err := store.Collection(ctx, docstore.Spec{
		Name: "view", Unlogged: true,
		Indexes: []docstore.Index{
			{Name: placeIndex, Unique: true}, {Name: nameIndex, Unique: true}, {Name: personIndex},
		},
	})
	v.kept = docstore.Kept[place]{In: in, What: "view", At: func(p *place) *docstore.At { return &p.at },
		Keys: (*place).keys}
	return err
}

// operations are those about views.
func (v *views) operations() []rest.Extension {
	one := reflect.TypeFor[desk.BookView]()
	named := []string{"view"}
	return []rest.Extension{{
		Path: viewsPath, Method: http.MethodGet, ID: "listViews", Summary: "The caller's views of the book, by name",
		Response: reflect.TypeFor[desk.BookViewList](),
		Serve:    func(c *gin.Context, _ any) (any, error) { return v.all(c.Request.Context()) },
	}, {
		Path: viewPath, Method: http.MethodGet, ID: "readView", Summary: "A view of the caller",
		Response: one, Tagged: true, Parameters: named, Refuses: []problem.Kind{problem.NotFound},
		Serve: v.serveOne(v.read),
	}, {
		Path: viewPath, Method: http.MethodPut, Writes: true, ID: "putView",
		Summary: "Keep a list of the book under a name, or another one in its place",
		Details: "A view is seen by its person alone: the same subject of the same organisation. There are 100 at " +
			"most for each. What it says is checked where the list is read.",
		Body: reflect.TypeFor[desk.BookViewTerms](), Response: one, Tagged: true, Parameters: named,
		Refuses: []problem.Kind{problem.Invalid, problem.RecordTooLarge},
		Serve: func(c *gin.Context, body any) (any, error) {
			terms := *body.(*desk.BookViewTerms)
			return v.serveOne(func(ctx context.Context, name string, meets func(string) error) (*place, error) {
				return v.put(ctx, name, terms, meets)
			})(c, nil)
		},
	}, {
		Path: viewPath, Method: http.MethodDelete, Writes: true, ID: "deleteView",
		Summary:  "Remove a view of the caller; the response is what it was",
		Response: one, Tagged: true, Parameters: named, Refuses: []problem.Kind{problem.NotFound},
		Serve: v.serveOne(v.remove),
	}}
}

// serveOne answers a request about the view that its path names.
func (v *views) serveOne(
	do func(ctx context.Context, name string, meets func(tag string) error) (*place, error),
) func(*gin.Context, any) (any, error) {
	return func(c *gin.Context, _ any) (any, error) {
		name := norm.NFC.String(c.Param("view"))
		wrong := external.Fault(name)
		if wrong == "" && strings.ContainsAny(name, "/:") {
			wrong = "may have no slash and no colon"
		}
		if wrong != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter("view", wrong)
		}
		p, err := do(c.Request.Context(), name, func(tag string) error {
			return condition.Judge(c.Request.Header, tag)
		})
		if err != nil {
			return nil, err
		}
		c.Header("ETag", p.tag())
		return p.View, nil
	}
}

// tag returns the entity tag of what is in a place; empty for nothing.
func (p *place) tag() string {
	if p == nil || p.View.Name == "" {
		return ""
	}
	return fmt.Sprintf(`"%s-%d"`, p.at.ID, p.at.Version)
}

// all returns the caller's views. Errors: those of the store.
func (v *views) all(ctx context.Context) (list desk.BookViewList, err error) {
	list.Views = []desk.BookView{}
	places, err := v.places(ctx)
	for _, p := range places {
		if p.View.Name != "" {
			list.Views = append(list.Views, p.View)
		}
	}
	slices.SortFunc(list.Views, func(a, b desk.BookView) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

func (v *views) places(ctx context.Context) ([]*place, error) {
	return v.kept.All(ctx, request.OrganisationFrom(ctx), docstore.Keys{personIndex: request.CallerFrom(ctx).Key()})
}

// find returns the place of a view; nil if there is none.
func (v *views) find(ctx context.Context, name string) (*place, error) {
	return v.kept.One(ctx, request.OrganisationFrom(ctx),
		docstore.Keys{nameIndex: nameKey(request.CallerFrom(ctx).Key(), name)})
}

// read returns the place of a view. Errors: problem.NotFound, those of the store.
func (v *views) read(ctx context.Context, name string, _ func(string) error) (*place, error) {
	p, err := v.find(ctx, name)
	if err == nil && p == nil {
		err = problem.New(problem.NotFound, "There is no view "+problem.Short(name)+". PUT makes it.")
	}
	return p, err
}

// put keeps a view under a name; the same again changes nothing. Errors: problem.Invalid, problem.RecordTooLarge, those
// of meets and of the store.
func (v *views) put(
	ctx context.Context, name string, terms desk.BookViewTerms, meets func(tag string) error,
) (p *place, err error) {
	if err := checkView(terms); err != nil {
		return nil, err
	}
	err = docstore.Again(func() error {
		if p, err = v.find(ctx, name); err == nil {
			err = meets(p.tag())
		}
		if err == nil && p == nil {
			p, err = v.free(ctx)
		}
		if err != nil || p.View.BookViewTerms == terms && p.View.Name == name {
			return err
		}
		p.View = desk.BookView{Name: name, BookViewTerms: terms, Rows: rowsOf(terms), SetAt: scalar.Instant(v.now())}
		return v.kept.Write(ctx, request.OrganisationFrom(ctx), p, nil)
	})
	return p, err
}

// checkView returns what is wrong with a view. Errors: problem.Invalid.
func checkView(terms desk.BookViewTerms) error {
	wrong := problem.New(problem.Invalid, "The view cannot be as it is described.")
	if !slices.Contains([]desk.BookListName{
		desk.ViewedPolicies, desk.ViewedClaims, desk.ViewedMovements, desk.ViewedLate,
	}, terms.List) {
		wrong.At("/list", "must be policies, claims, movements or late")
	}
	if len(terms.Query) > mostQuery {
		wrong.At("/query", fmt.Sprintf("must have at most %d bytes", mostQuery))
	} else if parameters, err := url.ParseQuery(terms.Query); err != nil || strings.HasPrefix(terms.Query, "?") {
		wrong.At("/query", "must be the parameters of an address, such as line=motorCoverage&sort=-open")
	} else if parameters.Has("cursor") || parameters.Has("limit") {
		wrong.At("/query", "may have no cursor and no limit: those are of a page")
	}
	if len(wrong.Violations) == 0 {
		return nil
	}
	return wrong
}

func rowsOf(terms desk.BookViewTerms) string {
	path := bookPath + string(terms.List)
	if terms.Query != "" {
		path += "?" + terms.Query
	}
	return path
}

// free returns a place of the caller without a view. Errors: problem.RecordTooLarge, those of the store.
func (v *views) free(ctx context.Context) (*place, error) {
	places, err := v.places(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if p.View.Name == "" {
			return p, nil
		}
	}
	if len(places) >= mostViews {
		return nil, problem.New(problem.RecordTooLarge, fmt.Sprintf(
			"You have %d views, as many as there may be. Remove one.", mostViews))
	}
	return &place{Person: request.CallerFrom(ctx).Key(), Number: len(places)}, nil
}

// remove removes a view and returns what it was. Errors: as read, those of meets.
func (v *views) remove(ctx context.Context, name string, meets func(tag string) error) (was *place, err error) {
	err = docstore.Again(func() error {
		p, err := v.read(ctx, name, nil)
		if err == nil {
			err = meets(p.tag())
		}
		if err != nil {
			return err
		}
		is := *p
		was, p.View = &is, desk.BookView{}
		return v.kept.Write(ctx, request.OrganisationFrom(ctx), p, nil)
	})
	return was, err
}
