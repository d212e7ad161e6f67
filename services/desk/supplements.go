package desk

import (
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/condition"
)

// supplementOperations are the operations about what a bordereau asks for and a claim does not have.
func (o *office) supplementOperations() []rest.Extension {
	const path = rest.ExtensionPrefix + "/supplement/claim/{id}"
	shown := reflect.TypeFor[desk.ClaimSupplementVersion]()
	return []rest.Extension{{
		Path: path, Method: http.MethodGet, ID: "readClaimSupplement", Parameters: []string{"id"},
		Summary: "What was added to a claim for its bordereaux", Response: shown, Tagged: true,
		Refuses: []problem.Kind{problem.NotFound},
		Serve: func(c *gin.Context, _ any) (any, error) {
			s, tag, err := o.desk.Supplement(c.Request.Context(), c.Param("id"))
			return supplement(c, s, tag, err)
		},
	}, {
		Path: path, Method: http.MethodPut, Writes: true, ID: "putClaimSupplement", Parameters: []string{"id"},
		Summary: "Add to a claim what its bordereaux ask for",
		Details: "What is absent is reported as not provided. Every version is kept; a version of a bordereau shows " +
			"what there was when it was prepared.",
		Body: reflect.TypeFor[desk.ClaimSupplement](), Response: shown, Tagged: true,
		Refuses: []problem.Kind{problem.NotFound, problem.Invalid},
		Serve: func(c *gin.Context, body any) (any, error) {
			s, tag, err := o.desk.PutSupplement(c.Request.Context(), c.Param("id"), *body.(*desk.ClaimSupplement),
				func(tag string) error { return condition.Judge(c.Request.Header, tag) })
			return supplement(c, s, tag, err)
		},
	}}
}

// supplement returns a supplement with its entity tag.
func supplement(c *gin.Context, s desk.ClaimSupplementVersion, tag string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	c.Header("ETag", tag)
	return s, nil
}
