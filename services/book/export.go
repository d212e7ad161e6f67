package book

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/book/rows"
)

// ofFiles says in the documents what the files of a list are.
const ofFiles = "With Accept text/csv or that of XLSX the response is a file with all rows that are selected, in " +
	"their order, and without pages. Its name says up to which instant the book had read what happened; the book " +
	"goes on meanwhile, so that a row which moves in the order may be in the file twice or not at all. Instants are " +
	"in the exchange's zone. A file of more rows than fit in a sheet has several. What takes longer than a request " +
	"may is cut off."

// rowsAtOnce is how many rows of a file are read at a time.
const rowsAtOnce = 1000

// membersAsked returns the members of rows that a request asks for; nil for all. selected says whether it asks for
// months. Errors: problem.BadParameter.
func membersAsked(r *http.Request, of *rows.List, selected bool) (names []string, err error) {
	values, err := query.Parse(r.URL.RawQuery)
	if err != nil || !values.Has(columnsName) {
		return nil, err
	}
	all := of.Members(selected)
	for name := range strings.SplitSeq(values.Get(columnsName), ",") {
		wrong := ""
		switch {
		case !slices.Contains(all, name):
			wrong = "names " + problem.Short(name) + ", which is no column; the columns are " + strings.Join(all, ", ")
		case slices.Contains(names, name):
			wrong = "names " + name + " twice"
		}
		if wrong != "" {
			return nil, problem.New(problem.BadParameter, "").InParameter(columnsName, wrong)
		}
		names = append(names, name)
	}
	return names, nil
}

// picked is a page of rows with some of their members.
type picked struct {
	Rows []jsontext.Value `json:"rows"`
	Next string           `json:"next,omitzero"`
	AsOf scalar.DateTime  `json:"asOf,omitzero"`
}

// pickedOf returns a page with some members of its rows, the key among them.
func pickedOf(of *rows.List, page rows.Page, next string, members []string) (picked, error) {
	p := picked{Rows: make([]jsontext.Value, len(page.Rows)), Next: next, AsOf: page.AsOf}
	key := of.Members(false)[0]
	for i, row := range page.Rows {
		text, err := json.Marshal(row)
		if err != nil {
			return p, err
		}
		all, err := jsonobject.Members(text)
		if err != nil {
			return p, err
		}
		p.Rows[i] = jsonobject.Of(slices.DeleteFunc(all, func(m jsonobject.Member) bool {
			return m.Name != key && !slices.Contains(members, m.Name)
		}))
	}
	return p, nil
}

// export returns what writes all rows that a query selects to a file. The first page is read before the response
// begins, which is a problem where that fails.
func (l *library) export(
	c *gin.Context, format table.Format, of *rows.List, q listQuery, members []string,
) (any, error) {
	ctx := c.Request.Context()
	if members == nil {
		members = of.Members(q.Months != nil)
	}
	shown := of.FileColumns(members)
	q.Limit = rowsAtOnce
	page, err := l.page(ctx, of, q)
	if err != nil {
		return nil, err
	}
	name := path.Base(c.Request.URL.Path) + "-" + page.AsOf.Time().Format("20060102T150405Z")
	return format.Respond(c, name, []string{cursorName, limitName}, func() ([]table.Column, table.Each, error) {
		columns := make([]table.Column, len(shown))
		for i, column := range shown {
			columns[i] = column.Column
		}
		return columns, func(write func(cells []string) error) (err error) {
			cells := make([]string, len(shown))
			for {
				for _, row := range page.Rows {
					for i, column := range shown {
						cells[i] = column.Cell(row, l.zone)
					}
					if err := write(cells); err != nil {
						return err
					}
				}
				if q.After = page.Next; q.After == nil {
					return nil
				}
				if page, err = l.page(ctx, of, q); err != nil {
					return err
				}
			}
		}, nil
	})
}
