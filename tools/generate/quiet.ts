// Imported first, because loggers read their level when they are created.
process.env['LOG_LEVEL'] = 'error';
