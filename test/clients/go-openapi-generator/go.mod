module journey

go 1.25.0

require steps v0.0.0

replace steps => ../go-steps
