package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// loan is a book that a library has lent.
type loan struct {
	ID     string  `json:"id,omitzero"`
	Book   *string `json:"book,omitzero"`
	Days   *int    `json:"days,omitzero"`
	Kind   *string `json:"kind,omitzero" set:"LoanKind"`
	Status *string `json:"status,omitzero" issued:"LoanStatus"`
}

func (l *loan) RecordID() string      { return l.ID }
func (l *loan) SetRecordID(id string) { l.ID = id }

// library declares the one resource of a library: POST, GET and PUT of /loan, and POST /loan/{id}:return.
func library(s *rest.Server) {
	out := "out"
	rest.Add(s, rest.Resource[*loan]{
		Name:    "loan",
		Aliases: map[string]string{"title": "book"},
		Filters: []rest.Filter[*loan]{rest.Exact("book", func(l *loan) string { return rest.Text(l.Book) })},
		Checks: []rest.Check[*loan]{
			rest.Present[*loan]("book is missing", "book"),
			rest.AboveZero("days is not above 0", "days", func(l *loan) *int { return l.Days }, problem.Invalid),
		},
		Issue:  func(d *rest.Draft[*loan]) { d.Value.Status = &out },
		Status: func(l *loan) **string { return &l.Status },
		Actions: []rest.Action[*loan]{
			rest.Act("return", []rest.Move{{From: "out", To: "back"}},
				func(context.Context, *rest.Change[*loan], *struct{}) error { return nil }),
		},
	})
}

func Example() {
	folder, err := os.MkdirTemp("", "library-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()
	store, err := sqlitestore.Open(ctx, filepath.Join(folder, "library.db"))
	if err != nil {
		panic(err)
	}
	defer store.Close()
	server := rest.NewServer(rest.Config{
		Store: store, Now: time.Now,
		Sets: sets{"LoanKind": {"home", "reading room"}, "LoanStatus": {"out", "back"}},
	})
	library(server)
	if err := server.Open(ctx); err != nil {
		panic(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	everybody := func(c *gin.Context) { // may, as Ada
		ada := request.Caller{Subject: "ada", Organisation: organisation.Sole()}
		c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), ada))
	}
	if err := server.Mount(engine, everybody); err != nil {
		fmt.Println(err)
	}

	ask := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		engine.ServeHTTP(w, r)
		return w
	}
	lent := ask(http.MethodPost, "/loan", `{"title":"Emma","days":14,"kind":"home"}`)
	at := lent.Header().Get("Location")
	fmt.Println(lent.Code)
	fmt.Println(ask(http.MethodPost, "/loan", `{"title":"Emma","days":14,"kind":"for ever"}`).Body)
	fmt.Println(ask(http.MethodPut, at, `{"title":"Emma"}`).Body)
	fmt.Println(ask(http.MethodPost, at+":return", "").Code)
	fmt.Println(ask(http.MethodPost, at+":return", "").Body)
	// Output:
	// 201
	// {"detail":"Members of the body have values that are not allowed.","errors":[{"pointer":"/kind","reason":"\"for ever\" is no value of LoanKind; the values are home, reading room"}],"status":400,"title":"invalid field","type":"/problems/invalid-field"}
	// {"detail":"days is required.","errors":[{"pointer":"/days","reason":"is required"}],"status":400,"title":"required fields missing","type":"/problems/required-fields-missing"}
	// 200
	// {"detail":"return does not apply to a loan that is back.","state":"back","status":409,"title":"transition not listed","type":"/problems/transition-not-listed"}
}
