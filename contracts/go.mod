module insurance.example/exchange/contracts

go 1.26.0

require (
	github.com/cockroachdb/apd/v3 v3.2.3
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/goccy/go-yaml v1.19.2
	github.com/google/uuid v1.6.0
)
