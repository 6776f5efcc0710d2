var tiny = function (fetch) { return fetch("/tiny"); };
