module steps

go 1.24
