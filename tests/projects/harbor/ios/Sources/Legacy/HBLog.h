#import <Foundation/Foundation.h>

/// Writes a line to the log of the app. Arguments are redacted on devices.
FOUNDATION_EXPORT void HBLog(NSString *format, ...) NS_FORMAT_FUNCTION(1, 2);
