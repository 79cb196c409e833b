// Imported first: loggers read their level when they are made.
process.env['LOG_LEVEL'] = 'error';
